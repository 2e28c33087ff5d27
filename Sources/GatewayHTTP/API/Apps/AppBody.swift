internal import GatewayModel
internal import GuardedHTTP
internal import Identity
internal import TextFormats

/// The body of an app: its settings; unsupported ones are rejected, so that nobody believes that they work.
enum AppBody {
    private static let unsupported: [BoundedName] = ["huawei", "webPush"]

    /// Validates everything that can be validated without parsing keys; throws 422.
    static func settings(_ body: BodyObject) throws(Problem) -> AppSettings {
        var checks = FieldChecks()
        let platform = checks.word(body["platform"], as: DevicePlatform.self, isRequired: true)
        let apns = checks.object(body["apns"]).flatMap { self.apns($0, &checks) }
        let fcm = checks.object(body["fcm"]).flatMap { self.fcm($0, &checks) }
        let proxy = checks.object(body["pushProxy"]).flatMap { PushProxyBody.settings($0, &checks) }
        let dialect = checks.word(body["dialect"], as: AppSettings.Dialect.self)
        if !body["pushProxy"].isEmpty {
            // It sends everything, in one format.
            for name: BoundedName in ["apns", "fcm"] where !body[name].isEmpty {
                checks.fail(body[name].pointer, "must be absent beside a pushProxy")
            }
            if let dialect, dialect != .liveperson {
                checks.fail(body["dialect"].pointer, "must be liveperson or absent beside a pushProxy")
            }
        }
        let links = checks.object(body["links"]).flatMap { LinkBody(object: $0).settings(&checks) }
        for name in unsupported where !body[name].isEmpty {
            checks.fail(body[name].pointer, SettingsBody.unsupportedDetail)
        }
        checks.rejectOthers(
            in: body,
            than: ["platform", "apns", "fcm", "pushProxy", "dialect", "links", "canary"] + unsupported
        )
        // A missing platform is an error already.
        var settings = AppSettings(platform: platform ?? .ios, apns: apns, fcm: fcm, dialect: dialect)
        settings.pushProxy = proxy
        settings.links = links
        settings.canary = checks.object(body["canary"]).flatMap { CanaryBody.settings($0, of: settings, &checks) }
        try checks.finish()
        return settings
    }

    /// Returns the errors of the endpoints that a tenant set, and of a push proxy whoever set it, as far as their texts
    /// show; the addresses that their names resolve to are checked at each connection.
    static func problems(ofEndpoints app: AppSettings, _ addresses: AddressPolicy) -> [SettingsProblem] {
        app.endpoints.compactMap { endpoint -> SettingsProblem? in
            guard app.endpointsBy == .tenant || endpoint.isAlwaysChecked else { return nil }
            do throws(GuardedURL.Rejection) {
                _ = try GuardedURL(endpoint.url, policy: addresses)
                return nil
            } catch { return SettingsProblem(pointer: endpoint.pointer, detail: error.text) }
        }
    }

    /// Nil when a member is invalid, which is recorded as an error.
    private static func apns(_ object: BodyObject, _ checks: inout FieldChecks) -> APNsSettings? {
        let endpoints = checks.object(object["endpoints"]).map { inner in
            checks.rejectOthers(in: inner, than: ["production", "sandbox"])
            return APNsSettings.Endpoints(
                production: checks.text(inner["production"]),
                sandbox: checks.text(inner["sandbox"])
            )
        }
        checks.rejectOthers(
            in: object,
            than: [
                "certificate", "password", "teamId", "keyId", "privateKey", "sandboxKey", "topic", "endpoints",
                "wakeOnRead",
            ]
        )
        let wakesOnRead = checks.flag(object["wakeOnRead"]) ?? false
        guard object["certificate"].isEmpty else {
            // It is not clear which of the two was meant.
            for name: BoundedName in ["teamId", "keyId", "privateKey", "sandboxKey"] where object[name].isNamed {
                checks.fail(object[name].pointer, "must be absent beside a certificate")
            }
            let certificate = checks.text(object["certificate"])
            let password = checks.text(object["password"])
            let topic = checks.text(object["topic"])
            guard let certificate else { return nil }
            let settings = APNsCertificateSettings(certificate: certificate, password: password)
            var apns = APNsSettings(.certificate(settings), topic: topic, endpoints: endpoints)
            apns.wakesOnRead = wakesOnRead
            return apns
        }
        if !object["password"].isEmpty { checks.fail(object["password"].pointer, "is allowed only with a certificate") }
        let teamId = checks.text(object["teamId"], isRequired: true)
        let key = key(object, &checks)
        let sandboxKey = checks.object(object["sandboxKey"]).flatMap { inner in
            checks.rejectOthers(in: inner, than: ["keyId", "privateKey"])
            return self.key(inner, &checks)
        }
        let topic = checks.text(object["topic"], isRequired: true)
        guard let teamId, let key, let topic else { return nil }
        var apns = APNsSettings(
            teamId: teamId,
            keyId: key.keyId,
            privateKey: key.privateKey,
            topic: topic,
            sandboxKey: sandboxKey,
            endpoints: endpoints
        )
        apns.wakesOnRead = wakesOnRead
        return apns
    }

    private static func key(_ object: BodyObject, _ checks: inout FieldChecks) -> APNsTokenSettings.SandboxKey? {
        let keyId = checks.text(object["keyId"], isRequired: true)
        let privateKey = checks.text(object["privateKey"], isRequired: true)
        guard let keyId, let privateKey else { return nil }
        return APNsTokenSettings.SandboxKey(keyId: keyId, privateKey: privateKey)
    }

    /// Nil when a member is invalid, which is recorded as an error.
    private static func fcm(_ object: BodyObject, _ checks: inout FieldChecks) -> FCMSettings? {
        let style = checks.word(object["style"], as: FCMSettings.Style.self)
        let endpoint = checks.text(object["endpoint"])
        checks.rejectOthers(in: object, than: ["serviceAccount", "style", "endpoint"])
        // Google's file unchanged: it has members that the gateway does not need.
        guard let file = checks.object(object["serviceAccount"], isRequired: true) else { return nil }
        let projectId = checks.text(file["project_id"], isRequired: true)
        let privateKeyId = checks.text(file["private_key_id"], isRequired: true)
        let privateKey = checks.text(file["private_key"], isRequired: true)
        let clientEmail = checks.text(file["client_email"], isRequired: true)
        let tokenUri = checks.text(file["token_uri"], isRequired: true)
        guard let projectId, let privateKeyId, let privateKey, let clientEmail, let tokenUri else { return nil }
        let account = FCMSettings.ServiceAccount(
            projectId: projectId,
            privateKeyId: privateKeyId,
            privateKey: privateKey,
            clientEmail: clientEmail,
            tokenUri: tokenUri
        )
        return FCMSettings(serviceAccount: account, style: style, endpoint: endpoint)
    }
}
