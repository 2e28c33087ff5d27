// swift-format-ignore-file
@_exported import Foundation

@MainActor
open class UIApplication {
    public struct LaunchOptionsKey: Hashable, Sendable {}

    public static let shared = UIApplication()

    public func registerForRemoteNotifications() {}
}

public enum UIBackgroundFetchResult: Sendable {
    case newData
    case noData
    case failed
}

/// All requirements are optional in Apple's module.
@MainActor
public protocol UIApplicationDelegate: AnyObject {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult
}
