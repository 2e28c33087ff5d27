public import Foundation

/// The push token of a provider.
public struct PushToken: Sendable, Hashable, Codable {
    /// The transport as the gateway names it.
    let pushType: String
    /// The token of the provider.
    let token: String
    /// The environment of APNs; nil for other transports.
    let environment: String?

    /// A device token of APNs.
    ///
    /// - Parameters:
    ///   - deviceToken: The bytes that iOS gave the app.
    ///   - isSandbox: Whether the app was built for development.
    /// - Returns: The token.
    public static func apns(_ deviceToken: Data, isSandbox: Bool = false) -> PushToken {
        let digits = deviceToken.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return PushToken(pushType: "apns", token: digits, environment: isSandbox ? "sandbox" : "production")
    }
    /// A registration token of FCM.
    public static func fcm(_ token: String) -> PushToken {
        PushToken(pushType: "fcm", token: token, environment: nil)
    }
    /// A Firebase installation id; the gateway tells it from a registration token by its shape.
    public static func fcm(installationID: String) -> PushToken {
        PushToken(pushType: "fcm", token: installationID, environment: nil)
    }
    /// A token of Huawei Push Kit.
    public static func huawei(_ token: String) -> PushToken {
        PushToken(pushType: "huawei", token: token, environment: nil)
    }
}

extension PushToken: CustomStringConvertible {
    /// The transport, without the token.
    public var description: String { pushType }
}

/// The kinds of messages that a device wants to receive as pushes.
public struct PushKinds: OptionSet, Sendable, Hashable, Codable {
    /// The bits of the kinds.
    public let rawValue: Int
    /// Creates kinds from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Agents' messages.
    public static let agent = PushKinds(rawValue: 1)
    /// Messages that the brand starts.
    public static let proactive = PushKinds(rawValue: 2)
    /// Both.
    public static let all: PushKinds = [.agent, .proactive]
}

/// A registration for pushes as the app asked for it.
struct PushRegistration: Sendable, Hashable, Codable {
    var token: PushToken
    var receives: PushKinds

    /// The members of the request.
    func members(_ environment: DeviceEnvironment) -> [String: JSONValue?] {
        var kinds: [JSONValue] = []
        if receives.contains(.agent) { kinds.append("agent") }
        if receives.contains(.proactive) { kinds.append("proactive") }
        return [
            "token": .string(token.token), "pushType": .string(token.pushType),
            "environment": token.environment.map { .string($0) }, "platform": .string(environment.platform.rawValue),
            "locale": environment.locale.map { .string($0) }, "timeZone": environment.timeZone.map { .string($0) },
            "osVersion": environment.osVersion.map { .string($0) },
            "appVersion": environment.appVersion.map { .string($0) }, "receives": .array(kinds),
        ]
    }
}

/// The members of a registration that describe the device.
struct DeviceEnvironment: Sendable, Hashable {
    var platform: PlatformProfile.Platform
    var locale: String?
    var timeZone: String?
    var osVersion: String?
    var appVersion: String?
}

/// When a registration that has not changed is sent again.
public struct RenewalFrequency: Sendable, Hashable {
    /// The age of a registration from which it is renewed; nil for never.
    let age: Duration?

    /// Whether something of an earlier time is sent again.
    func isDue(since earlier: Date, now: Date) -> Bool {
        guard let age else { return false }
        // A clock that went back makes an age negative: renew, that is harmless.
        let passed = now.timeIntervalSince(earlier)
        return passed < 0 || passed >= TimeInterval(age.components.seconds)
    }

    /// At each call, as the gateway recommends for each start of the app.
    public static let everyLaunch = RenewalFrequency(age: .zero)
    /// Once a day.
    public static let daily = RenewalFrequency(age: .seconds(86_400))
    /// Only when the token, the kinds or the version of the app change.
    public static let onChange = RenewalFrequency(age: nil)
}

/// The result of a call to register.
public enum RegistrationResult: String, Sendable, Hashable {
    /// The gateway has stored the registration; pushes arrive from now on.
    case registered
    /// Nothing has changed, so nothing was sent.
    case unchanged
    /// Nobody is logged in: it is sent with the next login, and no push arrives before.
    case deferred
}

/// The state of the registration; a pure value.
struct RegistrationState: Sendable, Hashable, Codable {
    /// A registration that the gateway has stored.
    struct Confirmed: Sendable, Hashable, Codable {
        var registration: PushRegistration
        var appVersion: String?
        var at: Date
    }

    /// The registration that the app wants.
    var desired: PushRegistration?
    /// The registration that the gateway has.
    var confirmed: Confirmed?
    /// Whether the app asked for a registration that was not sent yet.
    var isDeferred = false

    /// The next step of a registration.
    enum Step: Equatable {
        case send(PushRegistration)
        case waitForLogin
        case nothing
    }

    /// Decides when the app registers, or the platform gives a new token.
    ///
    /// - Parameters:
    ///   - registration: The registration that the app wants.
    ///   - canAuthenticate: Whether a credential exists or can be obtained.
    ///   - frequency: When an unchanged registration is sent again.
    ///   - appVersion: The version of the app.
    ///   - now: The wall clock.
    /// - Returns: The next step.
    mutating func request(
        _ registration: PushRegistration,
        canAuthenticate: Bool,
        frequency: RenewalFrequency,
        appVersion: String?,
        now: Date
    ) -> Step {
        desired = registration
        guard canAuthenticate else {
            isDeferred = true
            return .waitForLogin
        }
        isDeferred = false
        guard let confirmed, confirmed.registration == registration, confirmed.appVersion == appVersion else {
            return .send(registration)
        }
        return frequency.isDue(since: confirmed.at, now: now) ? .send(registration) : .nothing
    }

    /// Decides after a login: a deferred registration is sent once, whatever its result (R57).
    mutating func loggedIn() -> Step {
        guard isDeferred, let desired else { return .nothing }
        isDeferred = false
        return .send(desired)
    }

    /// The gateway stored a registration.
    mutating func stored(_ registration: PushRegistration, appVersion: String?, at now: Date) {
        confirmed = Confirmed(registration: registration, appVersion: appVersion, at: now)
    }

    /// The consumer has changed: the device's token is registered for the new one.
    mutating func consumerChanged() {
        confirmed = nil
        isDeferred = desired != nil
    }
}
