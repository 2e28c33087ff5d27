internal import GatewayModel
internal import GatewayStorage
internal import Identity
internal import TextFormats

/// The body of a registration (DevicesBadgesTaps page); this version does not use `subscription`.
struct DeviceBody {
    let body: BodyObject

    /// The kinds of pushes that `receives` names.
    private enum Receivable: String, CaseIterable {
        case agent, proactive
    }

    /// Validates everything.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - app: Its app.
    ///   - consumer: The device's consumer.
    ///   - isSandbox: Whether the app's id states a development build, whatever `environment` states.
    /// - Returns: The registration.
    /// - Throws: `Problem` 422.
    func registration(
        of device: DeviceID,
        app: DirectoryApp,
        consumer: ConsumerID,
        isSandbox: Bool
    ) throws(Problem) -> DeviceToRegister {
        var checks = FieldChecks()
        let (pushType, token) = checks.deviceToken(in: body, of: app.settings)
        let named = checks.word(body["environment"], as: PushEnvironment.self)
        let environment: PushEnvironment = isSandbox ? .sandbox : named ?? .production
        let stated = checks.word(body["platform"], as: DevicePlatform.self)
        if let stated, let transport = pushType?.transport, !transport.platforms.contains(stated) {
            checks.fail("/platform", transport.platformRequirement)
        }
        let platform = stated ?? pushType.map { app.settings.defaultPlatform(for: $0) } ?? app.settings.platform
        let currentToken = checks.proof(body["currentToken"])
        let receives = receives(&checks)
        let extraTokens = extraTokens(&checks)
        if !extraTokens.isEmpty, platform != .ios {
            checks.fail("/extraTokens", "is allowed only for the platform ios")
        }
        let locale = checks.line(body["locale"], atMost: 64)
        let timeZone = checks.line(body["timeZone"], atMost: 64)
        let osVersion = checks.line(body["osVersion"], atMost: 64)
        let appVersion = checks.line(body["appVersion"], atMost: 64)
        let (valid, normalised) = try checks.finish(pushType, token)
        var registration = DeviceToRegister(
            brand: app.brand,
            app: app.id,
            device: device,
            consumer: consumer,
            token: normalised,
            pushType: valid,
            environment: valid.transport.environment(environment),
            platform: platform,
            receives: receives
        )
        registration.locale = locale
        registration.timeZone = timeZone
        registration.osVersion = osVersion
        registration.appVersion = appVersion
        registration.extraTokens = extraTokens
        registration.currentToken = currentToken
        return registration
    }

    /// Reads the tokens for other kinds of pushes, all of which are Apple's.
    private func extraTokens(_ checks: inout FieldChecks) -> [ExtraToken] {
        guard let items = checks.items(body["extraTokens"], atMost: ExtraToken.maxPerDevice) else { return [] }
        var tokens: [ExtraToken] = []
        let rule = PushType.apns.transport.tokenRule
        for item in items {
            guard let object = checks.object(item, isRequired: true) else { continue }
            checks.rejectOthers(in: object, than: ["kind", "token"])
            let kind = checks.word(object["kind"], as: ExtraToken.Kind.self, isRequired: true)
            guard let given = checks.text(object["token"], isRequired: true) else { continue }
            guard let token = rule.normalised(given) else {
                checks.fail(object["token"].pointer, rule.requirement)
                continue
            }
            guard let kind else { continue }
            let extra = ExtraToken(kind: kind, token: token)
            // Named twice, it counts once.
            if !tokens.contains(extra) { tokens.append(extra) }
        }
        return tokens
    }

    private func receives(_ checks: inout FieldChecks) -> Receives {
        guard let items = checks.items(body["receives"], atMost: 16) else { return .all }
        var wanted: Receives = []
        for item in items {
            switch checks.word(item, as: Receivable.self, isRequired: true) {
            case .agent: wanted.insert(.agent)
            case .proactive: wanted.insert(.proactive)
            case nil: break
            }
        }
        return wanted
    }
}
