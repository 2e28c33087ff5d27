internal import GatewayModel
internal import GatewayStorage
internal import Identity
internal import TextFormats

/// A push token in an assertion (R32).
///
/// It is registered only when it is unambiguous: the SDK key names its app (or the brand has one app only), and the
/// token has the format of one transport for which the app has a credential. Otherwise it is ignored, as when it cannot
/// be stored: the device registers itself.
///
/// The other facts of a registration, such as its environment and the pushes that it receives, stay.
struct PushTokenClaim {
    /// The token: secret.
    let token: String
    /// The app of the SDK key.
    let app: AppID?
    /// The device of the login, if it names one.
    let device: DeviceID?
    /// Whether a device without a name is named by the token's fingerprint; otherwise the token is ignored.
    let namesDevice: Bool

    /// Registers the token for a consumer's device, if it is unambiguous.
    ///
    /// - Parameters:
    ///   - session: The session of the login; it is bound to the device.
    ///   - brand: The brand.
    ///   - call: The request.
    /// - Returns: Whether the device is registered.
    func register(by session: StoredSession, _ brand: Brand, _ call: Call) async -> Bool {
        let apps = call.services.directory.apps(brand: brand.id)
        let candidates = app.map { app in apps.filter { $0.id == app } } ?? apps
        guard namesDevice || device != nil, candidates.count == 1, let target = candidates.first,
            let pushType = pushType(of: target.settings.pushTypes),
            let token = pushType.transport.tokenRule.normalised(token),
            let registrations = try? await call.read({ store throws(StorageError) in
                try await store.registrations(brand: brand.id, consumer: session.consumer)
            })
        else { return false }
        let own = registrations.filter { $0.app == target.id && $0.pushType == pushType }
        let known = own.first { $0.device == device } ?? own.first { $0.token.hasSameBytes(as: token) }
        var wanted = DeviceToRegister(
            brand: brand.id,
            app: target.id,
            device: device ?? known?.device ?? DeviceID(trusted: DeviceToken.fingerprint(token)),
            consumer: session.consumer,
            token: token,
            pushType: pushType,
            environment: known?.environment ?? .production,
            platform: known?.platform ?? target.settings.defaultPlatform(for: pushType),
            receives: known?.receives.union(.agent) ?? .all
        )
        wanted.locale = known?.locale
        wanted.timeZone = known?.timeZone
        wanted.osVersion = known?.osVersion
        wanted.appVersion = known?.appVersion
        wanted.extraTokens = known?.extraTokens ?? []
        return (try? await call.register(wanted, session, brand)) != nil
    }

    /// Returns the transport that the token's format determines.
    private func pushType(of pushTypes: [PushType]) -> PushType? {
        // Only Apple's tokens are hexadecimal digits and nothing else, also where the app has no access to APNs.
        if PushType.apns.transport.tokenRule.normalised(token) != nil {
            return pushTypes.contains(.apns) ? .apns : nil
        }
        let fitting = pushTypes.filter { $0.transport.tokenRule.normalised(token) != nil }
        return fitting.count == 1 ? fitting.first : nil
    }
}

extension Call {
    /// Registers a device; for a session only while the session is live.
    ///
    /// - Parameters:
    ///   - wanted: The registration.
    ///   - session: The calling session; nil for back-ends.
    ///   - brand: The brand.
    /// - Returns: The result; nil when the app does not exist.
    /// - Throws: `Problem`, 401 when the session has ended meanwhile, 403 when it was bound to another device
    ///   meanwhile, 409 when another consumer has the device and its push token was not shown.
    func register(
        _ wanted: DeviceToRegister,
        _ session: StoredSession?,
        _ brand: Brand
    ) async throws(Problem) -> RegistrationChange? {
        var wanted = wanted
        wanted.session = session?.tokenHash
        wanted.singleDevice = brand.settings.singleDevice
        if session == nil {
            let target = "\(wanted.app.rawValue)/\(wanted.device.rawValue)"
            wanted.audit = try auditEntry(.deviceReassigned, brand: brand.id, target: target)
        }
        switch try await perform(.register(wanted)) {
        case .registered(let change): return change
        case .sessionEnded: throw Problem(AuthenticationError.tokenInvalid(.revoked))
        case .boundElsewhere: throw Problem.foreignDevice
        case .conflict: throw Problem.unprovenDevice
        default: return nil
        }
    }
}

extension Problem {
    /// The error for another consumer's device, when the caller does not prove that it is on it.
    static let unprovenDevice = Problem(
        .conflict,
        "Another consumer has registered this device. Send its current push token as `currentToken`, or register "
            + "under another device id."
    )
}
