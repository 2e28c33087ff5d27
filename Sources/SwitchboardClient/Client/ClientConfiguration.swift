public import Foundation

/// The settings of a client; none of them is secret.
public struct ClientConfiguration: Sendable {
    /// The address of the gateway: https, or http on a loopback address.
    public var serverURL: URL
    /// The brand.
    public var brandID: String
    /// The app.
    public var appID: String
    /// The rules of the platform.
    public var profile: PlatformProfile
    /// The installation for engagements; nil if the app does not use them.
    public var monitoring: MonitoringParameters?
    /// The systems whose pushes the client handles; others are left alone.
    public var dialects: Set<PushMessage.Dialect>
    /// The repetitions by kind of call.
    public var retry: RetryPolicies
    /// When an unchanged registration is sent again.
    public var renewal: RenewalFrequency
    /// The time in which the ``AuthorizationDelegate`` must respond.
    public var authorizationTimeoutSeconds: Int
    /// The longest time in which a request gets no part of its response; the default is 30 s.
    public var requestTimeout: Duration
    /// The language tag of the device (BCP 47, at most 64 bytes), for the wording of pushes.
    public var locale: String?
    /// The time zone of the device, for quiet hours.
    public var timeZone: String?
    /// The version of the operating system, for operators.
    public var osVersion: String?
    /// The version of the app; a new one renews the registration.
    public var appVersion: String?
    /// The authorization of Bloomreach's calls; nil if the app does not use them.
    public var bloomreach: BloomreachConfiguration?

    /// Creates settings with defaults.
    ///
    /// - Parameters:
    ///   - serverURL: The address of the gateway.
    ///   - brandID: The brand.
    ///   - appID: The app.
    ///   - profile: The rules of the platform.
    public init(serverURL: URL, brandID: String, appID: String, profile: PlatformProfile = .ios) {
        self.serverURL = serverURL
        self.brandID = brandID
        self.appID = appID
        self.profile = profile
        monitoring = nil
        dialects = [.switchboard]
        retry = RetryPolicies()
        renewal = .everyLaunch
        authorizationTimeoutSeconds = 30
        requestTimeout = .seconds(30)
        locale = Locale.current.identifier(.bcp47)
        timeZone = TimeZone.current.identifier
        osVersion = nil
        appVersion = nil
        bloomreach = nil
    }

    /// Checks the settings.
    ///
    /// - Throws: `parameterMissing`; `reason` names the member.
    func check() throws(SwitchboardError) {
        try Self.check(brandID, "brandID")
        try Self.check(appID, "appID")
        if let monitoring, monitoring.appInstallID.isEmpty { throw Self.missing("monitoring.appInstallID") }
        try bloomreach?.check()
        guard authorizationTimeoutSeconds > 0 else { throw Self.missing("authorizationTimeoutSeconds") }
        let host = serverURL.host ?? ""
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        guard !host.isEmpty, serverURL.scheme == "https" || (serverURL.scheme == "http" && isLoopback),
            serverURL.query == nil, serverURL.fragment == nil
        else { throw Self.missing("serverURL") }
    }

    private static func check(_ id: String, _ name: String) throws(SwitchboardError) {
        let isValid =
            (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        guard isValid else { throw missing(name) }
    }

    /// The error of a setting; the reason names it.
    static func missing(_ name: String) -> SwitchboardError {
        SwitchboardError(.parameterMissing, "\(name) is missing or malformed", reason: name)
    }

    /// The members of registrations that describe the device.
    var environment: DeviceEnvironment {
        DeviceEnvironment(
            platform: profile.platform,
            locale: locale,
            timeZone: timeZone,
            osVersion: osVersion,
            appVersion: appVersion
        )
    }
}

/// The parameters of engagements, as in LivePerson's monitoring.
public struct MonitoringParameters: Sendable, Hashable {
    /// The id of the app's installation.
    public var appInstallID: String

    /// Creates parameters.
    public init(appInstallID: String) { self.appInstallID = appInstallID }
}
