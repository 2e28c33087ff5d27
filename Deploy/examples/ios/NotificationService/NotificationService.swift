import Foundation
import SwitchboardClient
import UserNotifications

/// The Notification Service Extension: it reports that a push arrived, and writes its content.
final class NotificationService: UNNotificationServiceExtension {
    private var delivery: Delivery?

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
            contentHandler(request.content)
            return
        }
        let delivery = Delivery(content, contentHandler)
        self.delivery = delivery
        let payload = PushPayload(userInfo: request.content.userInfo)
        let helper = NotificationServiceHelper(configuration: Brand.configuration, storage: Brand.storage)
        Task { delivery.finish(await helper.receive(payload)) }
    }

    override func serviceExtensionTimeWillExpire() { delivery?.finish(nil) }
}

/// The content of a push on its way to the screen; it is delivered once.
private final class Delivery: @unchecked Sendable {
    // `lock` guards `handler` and `content`.
    private let lock = NSLock()
    private var handler: ((UNNotificationContent) -> Void)?
    private let content: UNMutableNotificationContent

    init(_ content: UNMutableNotificationContent, _ handler: @escaping (UNNotificationContent) -> Void) {
        self.content = content
        self.handler = handler
    }

    /// Delivers the content, the first time; nil leaves the push as it is.
    func finish(_ shown: NotificationContent?) {
        lock.lock()
        defer { lock.unlock() }
        guard let handler else { return }
        self.handler = nil
        shown?.apply(to: content)
        handler(content)
    }
}
