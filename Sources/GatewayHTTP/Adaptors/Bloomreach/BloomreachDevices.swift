internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import Identity
internal import PushProviders
internal import TextFormats

/// Push tokens that Bloomreach's SDK tracks (R156, R157), and its self-check (R139).
///
/// An API key proves nobody's identity: a device that is registered with it receives proactive messages only, until the
/// app registers it with a session.
enum BloomreachDevices {
    /// The operating system that an app names.
    fileprivate enum System: String, CaseIterable {
        case ios, android, huawei

        /// The transports of its tokens, the usual one first.
        var pushTypes: [PushType] {
            switch self {
            case .ios: [.apns, .fcm]
            case .android: [.fcm]
            case .huawei: [.huawei]
            }
        }
    }

    /// A push token as it was tracked.
    struct Tracked {
        fileprivate var system: System
        /// The token: secret; nil when there is none any more.
        var token: String?
        /// Whether pushes may be sent to it.
        var isValid: Bool
        /// The installation; nil when the app names none.
        var device: DeviceID?
        /// The app's own name for itself.
        var application: String?

        /// Registers the device, or ends the registrations with its token.
        func store(of consumer: ConsumerID?, _ brand: Brand, _ call: Call) async throws(Problem) {
            guard let consumer else { return }
            guard isValid, let token else { return try await end(of: consumer, brand, call) }
            guard let (app, pushType, normalised) = target(token, brand, call) else {
                throw Problem(invalid: "/properties", "must name an app of the project that has such push tokens")
            }
            let device = device ?? DeviceID(trusted: DeviceToken.fingerprint(normalised))
            let found = try await call.read { store throws(StorageError) in
                try await store.registration(brand: brand.id, app: app.id, device: device)
            }
            let known = found?.consumer == consumer ? found : nil
            let named = application.flatMap { AppID($0) }.map { call.app(named: $0, of: brand.id).isSandbox } ?? false
            let environment: PushEnvironment = named ? .sandbox : known?.environment ?? .production
            var wanted = DeviceToRegister(
                brand: brand.id,
                app: app.id,
                device: device,
                consumer: consumer,
                token: normalised,
                pushType: pushType,
                environment: pushType.transport.environment(environment),
                platform: known?.platform ?? app.settings.defaultPlatform(for: pushType),
                receives: known?.receives.union(.proactive) ?? .proactive
            )
            wanted.needsProof = true
            wanted.locale = known?.locale
            wanted.timeZone = known?.timeZone
            wanted.osVersion = known?.osVersion
            wanted.appVersion = known?.appVersion
            wanted.extraTokens = known?.extraTokens ?? []
            _ = try await call.register(wanted, nil, brand)
        }

        /// Ends the consumer's registrations with the token; without one, those that no device id names.
        private func end(of consumer: ConsumerID, _ brand: Brand, _ call: Call) async throws(Problem) {
            let all = try await call.read { store throws(StorageError) in
                try await store.registrations(brand: brand.id, consumer: consumer)
            }
            for registration in all where system.pushTypes.contains(registration.pushType) {
                let isMeant =
                    if let token {
                        registration.pushType.transport.tokenRule.normalised(token)?
                            .hasSameBytes(as: registration.token) ?? false
                    } else {
                        registration.device.rawValue
                            .hasSameBytes(as: DeviceToken.fingerprint(registration.token))
                    }
                guard isMeant else { continue }
                _ = try await call.perform(
                    .unregister(
                        brand: brand.id,
                        consumer: consumer,
                        app: registration.app,
                        device: registration.device,
                        scope: .all
                    )
                )
            }
        }

        /// Returns the app with the token's transport: the one that is named, else the brand's only one.
        func target(
            _ token: String,
            _ brand: Brand,
            _ call: Call
        ) -> (app: DirectoryApp, pushType: PushType, token: String)? {
            let apps = call.services.directory.apps(brand: brand.id)
            let named = application.flatMap { AppID($0) }.map { call.app(named: $0, of: brand.id).id }
            let own = apps.filter { $0.id == named }
            for pushType in system.pushTypes {
                guard let normalised = pushType.transport.tokenRule.normalised(token) else { continue }
                let fitting = (own.isEmpty ? apps : own).filter { $0.settings.supports(pushType) }
                if fitting.count == 1, let app = fitting.first { return (app, pushType, normalised) }
            }
            return nil
        }
    }

    /// Reads the properties of `notification_state`.
    static func state(_ properties: StrictJSON.Members, _ checks: inout FieldChecks) -> Tracked? {
        let object = BodyObject(at: .pointer("/properties"), members: properties)
        let token = checks.text(object["push_notification_token"], isRequired: true)
        let system = system(object["platform"], &checks)
        let isValid = checks.flag(object["valid"]) ?? true
        let device = checks.identifier(object["device_id"], as: DeviceID.self)
        let application = checks.text(object["application_id"])
        guard let token, let system else { return nil }
        return Tracked(system: system, token: token, isValid: isValid, device: device, application: application)
    }

    /// Takes the push tokens of earlier SDKs from a customer's properties, where they would be readable.
    static func takeTokens(from properties: inout StrictJSON.Members) -> [Tracked] {
        let names: [(BoundedName, System)] = [
            ("apple_push_notification_id", .ios), ("google_push_notification_id", .android),
            ("huawei_push_notification_id", .huawei),
        ]
        var found: [Tracked] = []
        for (name, system) in names {
            guard let value = properties[name] else { continue }
            properties[name] = nil
            let token = value.text.flatMap { $0.isEmpty ? nil : $0 }
            found.append(Tracked(system: system, token: token, isValid: token != nil))
        }
        return found
    }

    private static func system(_ member: BodyMember, _ checks: inout FieldChecks) -> System? {
        guard let text = checks.text(member, isRequired: true) else { return nil }
        let system = text.utf8.count <= 16 ? System(word: text.asciiLowercased) : nil
        if system == nil { checks.fail(member.pointer, "must be ios, android or huawei") }
        return system
    }

    // MARK: Self-check

    /// Sends a silent push to a token; nothing is stored or counted.
    static func selfCheck(_ call: Call) async throws -> Response {
        let brand = try call.requireAPIKey(of: try call.query().text("project_id"))
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        _ = checks.customerIDs(body["customer_ids"])
        let token = checks.text(body["push_notification_id"], isRequired: true)
        let system = system(body["platform"], &checks)
        let (text, named) = try checks.finish(token, system)
        let tracked = Tracked(system: named, token: text, isValid: true)
        guard let (app, pushType, normalised) = tracked.target(text, brand, call) else {
            throw Problem(invalid: "/push_notification_id", "is not a token of an app of the project")
        }
        let result = try await ProbeRoutes.selfCheck(app.id, brand, call, pushType, .production, token: normalised) {}
        let isAccepted = if case .accepted? = result.response?.outcome { true } else { false }
        return ResponseFactory.object(.ok, capacity: 256) { writer in
            writer.member("success", isAccepted)
            if !isAccepted { writer.member("error", result.verdict) }
        }
    }
}
