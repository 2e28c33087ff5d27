import SwitchboardClient
import UIKit
import UserNotifications

/// The app's part in pushes: each one goes to the client, however it arrives.
@MainActor
final class AppDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    lazy var messenger = Messenger()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        let center = UNUserNotificationCenter.current()
        center.delegate = self
        Task { _ = try? await center.requestAuthorization(options: [.alert, .badge, .sound]) }
        messenger.start()
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        Task { await messenger.register(deviceToken) }
    }

    /// Handles a push in the background: a silent one, or a visible one with `content-available`.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        let message = await messenger.client.handlePush(PushPayload(userInfo: userInfo), showNotification: false)
        // The system suspends the app after this.
        await messenger.client.finishPendingWork()
        return message == nil ? .noData : .newData
    }

    /// Handles a push while the app is open; agents' messages come without one while the messaging window is.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        let payload = PushPayload(userInfo: notification.request.content.userInfo)
        Task { await messenger.client.handlePush(payload, showNotification: false) }
        completionHandler([.banner, .sound])
    }

    /// Handles a tap on a notification; the completion handler must be called on the main thread, as this function is.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let payload = PushPayload(userInfo: response.notification.request.content.userInfo)
        Task { await messenger.tapped(payload) }
        completionHandler()
    }
}
