// swift-format-ignore-file
// Stricter than Apple's module: no class here is Sendable.
@_exported import Foundation

open class UNNotificationContent: NSObject {
    public var userInfo: [AnyHashable: Any] { [:] }
}

open class UNMutableNotificationContent: UNNotificationContent {
    public var title = ""
    public var body = ""
    public var badge: NSNumber?
    public var threadIdentifier = ""
}

open class UNNotificationTrigger: NSObject {}

open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent

    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
    }
}

open class UNNotification: NSObject {
    public let request: UNNotificationRequest

    init(request: UNNotificationRequest) { self.request = request }
}

open class UNNotificationResponse: NSObject {
    public let notification: UNNotification

    init(notification: UNNotification) { self.notification = notification }
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = UNAuthorizationOptions(rawValue: 1)
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let sound = UNNotificationPresentationOptions(rawValue: 2)
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

/// All requirements are optional in Apple's module.
public protocol UNUserNotificationCenterDelegate: AnyObject {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    )
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    )
}

open class UNUserNotificationCenter: NSObject {
    public static func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
    public weak var delegate: (any UNUserNotificationCenterDelegate)?
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { true }
    public func add(_ request: UNNotificationRequest) async throws {}
    public func deliveredNotifications() async -> [UNNotification] { [] }
    public func removeAllDeliveredNotifications() {}
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}
    public func setBadgeCount(_ newBadgeCount: Int) async throws {}
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
}
