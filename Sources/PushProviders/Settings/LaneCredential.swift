import GatewayModel

/// The settings of an app for a lane, checked and parsed.
enum LaneCredential: Sendable {
    case apns(APNsCredential)
    case fcm(FCMCredential)
    case proxy(PushProxyCredential)

    init(
        _ pushType: PushType,
        _ environment: PushEnvironment,
        of app: AppSettings,
        now: Timestamp
    ) throws(PushCredentialError) {
        if let settings = app.pushProxy, app.supports(pushType) {
            self = .proxy(try PushProxyCredential(settings))
            return
        }
        switch pushType {
        case .apns:
            guard let settings = app.apns else { throw Self.absent(pushType, "the app has no credential for APNs") }
            self = .apns(try APNsCredential(settings, environment: environment, now: now))
        case .fcm:
            guard let settings = app.fcm else { throw Self.absent(pushType, "the app has no credential for FCM") }
            self = .fcm(try FCMCredential(settings))
        case .huawei:
            throw Self.absent(pushType, "the app has no push proxy, which alone reaches Huawei's devices")
        case .webpush:
            throw Self.absent(pushType, "this version has no such provider")
        }
    }

    private static func absent(_ pushType: PushType, _ detail: String) -> PushCredentialError {
        PushCredentialError(pointer: "/" + (pushType.transport.settings?.key ?? pushType.rawValue), detail: detail)
    }
}
