#if canImport(UserNotifications)
import Foundation
public import UserNotifications

/// The presenter over Apple's notification centre.
public struct UserNotificationPresenter: PushPresenter {
    /// Creates a presenter.
    public init() {}

    /// Shows a local notification.
    public func show(_ message: PushMessage) async {
        guard let shown = NotificationContent(message) else { return }
        let content = UNMutableNotificationContent()
        shown.apply(to: content)
        let request = UNNotificationRequest(
            identifier: message.notificationID ?? UUID().uuidString,
            content: content,
            trigger: nil
        )
        try? await UNUserNotificationCenter.current().add(request)
    }

    /// Removes delivered notifications by their identifiers, and those of conversations by their number.
    public func withdraw(_ withdrawal: PushWithdrawal) async {
        let center = UNUserNotificationCenter.current()
        guard !withdrawal.includesAll else { return center.removeAllDeliveredNotifications() }
        let requests = await center.deliveredNotifications().map(\.request)
        let included = requests.filter { request in
            withdrawal.includes(request.identifier, of: PushPayload(userInfo: request.content.userInfo))
        }
        center.removeDeliveredNotifications(withIdentifiers: included.map(\.identifier))
    }

    /// Sets the number on the app's icon.
    public func setBadge(_ count: Int) async {
        try? await UNUserNotificationCenter.current().setBadgeCount(count)
    }
}

extension NotificationContent {
    /// Writes the content, as in a Notification Service Extension.
    public func apply(to content: UNMutableNotificationContent) {
        content.title = title
        content.body = body
        if let badge { content.badge = NSNumber(value: badge) }
        if let threadID { content.threadIdentifier = threadID }
    }
}
#endif
