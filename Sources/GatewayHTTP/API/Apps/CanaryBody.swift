internal import GatewayModel
internal import TextFormats

/// An app's canary in a body.
enum CanaryBody {
    /// Reads the canary of an app with these settings; nil when a member is invalid, which is recorded as an error.
    static func settings(
        _ object: BodyObject,
        of app: AppSettings,
        _ checks: inout FieldChecks
    ) -> CanarySettings? {
        checks.rejectOthers(in: object, than: ["token", "pushType", "environment", "everySeconds", "expectReceipt"])
        let (pushType, token) = checks.deviceToken(in: object, of: app)
        let environment = checks.word(object["environment"], as: PushEnvironment.self)
        if let environment, let pushType, !pushType.transport.environments.contains(environment) {
            checks.fail(object["environment"].pointer, "must be production for \(pushType.rawValue)")
        }
        let seconds = checks.integer(object["everySeconds"], in: CanarySettings.intervalRange, isRequired: true)
        let expectsReceipt = checks.flag(object["expectReceipt"])
        if expectsReceipt == true, app.pushProxy == nil, app.format == .ujet || app.format == .bloomreach {
            checks.fail(object["expectReceipt"].pointer, "must be false: apps of this dialect send no receipts")
        }
        guard let pushType, let token, let seconds else { return nil }
        return CanarySettings(
            token: token,
            pushType: pushType,
            environment: environment,
            everySeconds: seconds,
            expectReceipt: expectsReceipt
        )
    }
}
