internal import GatewayModel
internal import GatewayStorage
internal import Identity

/// The body of a registration (`http-api.md` section 5); `subscription` and `extraTokens` are not used by this version.
struct DeviceBody: Decodable {
    var token: String
    var pushType: String
    var environment: String?
    var platform: String?
    var locale: String?
    var timeZone: String?
    var osVersion: String?
    var appVersion: String?
    var receives: [String]?

    /// Checks everything.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - app: Its app.
    ///   - consumer: Whose it is.
    /// - Returns: What to register.
    /// - Throws: `Problem` 422.
    func registration(
        of device: DeviceID,
        app: DirectoryApp,
        consumer: ConsumerID
    ) throws(Problem) -> DeviceToRegister {
        var checks = FieldChecks()
        let pushType = checks.word(pushType, "/pushType", as: PushType.self)
        var token = token
        if let pushType {
            if let normalised = DeviceToken.normalised(token, for: pushType) {
                token = normalised
            } else {
                checks.fail("/token", DeviceToken.rule(for: pushType))
            }
            if !app.settings.supports(pushType) {
                checks.fail("/pushType", "is one that the app has no credential for")
            }
        }
        let environment = checks.word(environment, "/environment", as: PushEnvironment.self) ?? .production
        let platform = checks.word(platform, "/platform", as: DevicePlatform.self)
        if pushType == .apns, let platform, platform != .ios {
            checks.fail("/platform", "must be ios for apns")
        }
        var registration = DeviceToRegister(
            brand: app.brand,
            app: app.id,
            device: device,
            consumer: consumer,
            token: token,
            pushType: pushType ?? .apns,
            // Only APNs has two worlds; a debug build of an Android app may name the other one all the same.
            environment: pushType == .apns ? environment : .production,
            platform: platform ?? (pushType == .apns ? .ios : app.settings.platform),
            receives: receives(&checks)
        )
        registration.locale = checks.line(locale, "/locale", atMost: 64)
        registration.timeZone = checks.line(timeZone, "/timeZone", atMost: 64)
        registration.osVersion = checks.line(osVersion, "/osVersion", atMost: 64)
        registration.appVersion = checks.line(appVersion, "/appVersion", atMost: 64)
        try checks.finish()
        return registration
    }

    private func receives(_ checks: inout FieldChecks) -> Receives {
        guard let receives else { return .all }
        var wanted: Receives = []
        for (index, name) in receives.enumerated() {
            switch name {
            case "agent": wanted.insert(.agent)
            case "proactive": wanted.insert(.proactive)
            default: checks.fail("/receives/\(index)", "must be agent or proactive")
            }
        }
        return wanted
    }
}
