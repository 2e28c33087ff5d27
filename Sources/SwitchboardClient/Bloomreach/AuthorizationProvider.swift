import Foundation
import Logging

/// The app's source of customer tokens, as in Bloomreach Engagement.
///
/// The library calls it once for each request that needs a token, away from the main thread, and never keeps a token:
/// cache one in the app if that is too often. It may block.
public protocol AuthorizationProvider: Sendable {
    /// Returns a token; nil or an empty text fails the request.
    ///
    /// - Returns: The token, with or without `Bearer `.
    /// - Throws: Any error, which fails the request.
    func getAuthorizationToken() async throws -> String?
}

/// The authorization of Bloomreach's calls.
public struct BloomreachConfiguration: Sendable {
    /// The public API key of the project.
    public var authorizationToken: String
    /// Whether inbox calls use customer tokens of the provider.
    public var advancedAuthEnabled: Bool
    /// The app's provider, or how it is found.
    public var provider: AuthorizationProviderSource
    /// The id of the app at Bloomreach: lower-case letters, digits, `-` and `.`, at most 50.
    public var applicationID = "default-application"
    /// When the state of a push token that has not changed is tracked again.
    public var tokenTracking = RenewalFrequency.onChange
    /// Whether ``SwitchboardClient/selfCheckPush()`` works; the default is a build for debugging.
    public var isSelfCheckEnabled: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - authorizationToken: The public API key of the project.
    ///   - advancedAuthEnabled: Whether inbox calls use customer tokens of the provider.
    ///   - provider: The app's provider, or how it is found.
    public init(
        authorizationToken: String,
        advancedAuthEnabled: Bool = false,
        provider: AuthorizationProviderSource = .unregistered
    ) {
        self.authorizationToken = authorizationToken
        self.advancedAuthEnabled = advancedAuthEnabled
        self.provider = provider
        #if DEBUG
        isSelfCheckEnabled = true
        #else
        isSelfCheckEnabled = false
        #endif
    }

    /// Checks the settings that go into requests; `authorizationToken` is checked with the provider.
    func check() throws(SwitchboardError) {
        let isValid =
            (1...50).contains(applicationID.utf8.count)
            && applicationID.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
        guard isValid else { throw ClientConfiguration.missing("bloomreach.applicationID") }
    }

    /// The value of the `Authorization` header with the API key.
    var apiKey: String { "Token " + authorizationToken }
}

/// How the app's ``AuthorizationProvider`` is found: at each initialisation and after ``SwitchboardClient/anonymize()``.
public struct AuthorizationProviderSource: Sendable {
    /// The result of a search.
    enum Found: Sendable {
        case nothing
        case noClass(String)
        case notAnObject(String)
        case otherKind(String)
        case provider(any AuthorizationProvider)
    }

    /// Searches the provider.
    let find: @Sendable () -> Found

    /// No provider is registered.
    public static let unregistered = AuthorizationProviderSource { .nothing }

    /// A provider that the app creates.
    public static func instance(_ make: @escaping @Sendable () -> any AuthorizationProvider) -> Self {
        AuthorizationProviderSource { .provider(make()) }
    }

    /// A provider that is registered by the name of its class.
    ///
    /// - Parameters:
    ///   - name: The name of the class.
    ///   - make: Returns an instance; nil if there is no class of the name.
    /// - Returns: The source.
    public static func named(_ name: String, _ make: @escaping @Sendable () -> Any?) -> Self {
        AuthorizationProviderSource {
            guard let object = make() else { return .noClass(name) }
            if let provider = object as? any AuthorizationProvider { return .provider(provider) }
            return object is NSObject ? .otherKind(name) : .notAnObject(name)
        }
    }
}

/// The authorization of Bloomreach's inbox calls, which need customer tokens; all other calls use the API key.
struct InboxAuthorization: Sendable {
    private let configuration: BloomreachConfiguration
    private let provider: (any AuthorizationProvider)?

    /// Finds the provider.
    ///
    /// - Parameters:
    ///   - configuration: The app's configuration.
    ///   - profile: The platform, which determines the messages and whether an error fails the initialisation.
    ///   - logger: The log of the message.
    /// - Throws: `parameterMissing` without a key; `providerMissing` in the Android profile.
    init(
        _ configuration: BloomreachConfiguration,
        profile: PlatformProfile,
        logger: Logger
    ) throws(SwitchboardError) {
        guard !configuration.authorizationToken.isEmpty else {
            throw ClientConfiguration.missing("bloomreach.authorizationToken")
        }
        self.configuration = configuration
        guard configuration.advancedAuthEnabled else {
            provider = nil
            return
        }
        let found = configuration.provider.find()
        if case .provider(let found) = found {
            provider = found
            return
        }
        provider = nil
        let message = Self.message(found, profile: profile)
        logger.error("\(message)")
        if profile.failsWithoutProvider { throw SwitchboardError(.providerMissing, message) }
    }

    /// Returns the message of each system, word for word.
    static func message(_ found: AuthorizationProviderSource.Found, profile: PlatformProfile) -> String {
        if profile.failsWithoutProvider {
            switch found {
            case .nothing, .provider: return "Advanced auth has been enabled but provider has not been found"
            case .noClass(let name): return "Registered \(name) class has not been found"
            case .notAnObject(let name), .otherKind(let name):
                return "Registered \(name) class has to implement com.exponea.sdk.services.AuthorizationProvider"
            }
        }
        switch found {
        case .nothing, .noClass, .provider: return "Advanced authorization flag has been enabled without provider"
        case .notAnObject(let name): return "Class \(name) does not conform to NSObject"
        case .otherKind(let name): return "Class \(name) does not conform to AuthorizationProviderType"
        }
    }

    /// Returns the value of the `Authorization` header for one request.
    ///
    /// - Parameter clock: The clock of the timeout.
    /// - Returns: The value.
    /// - Throws: `unauthorized` without a token: the request must not be sent, and the API key does not stand in.
    func header(clock: any ClientClock) async throws -> String {
        guard configuration.advancedAuthEnabled else { return configuration.apiKey }
        guard let provider else { throw SwitchboardError(.unauthorized, "there is no authorization provider") }
        let policy = TokenPolicy.customerToken
        let late = SwitchboardError(policy.timeoutCode, "the authorization provider did not respond in time")
        let token = try await bounded(policy.timeout, clock: clock, error: late) {
            try await provider.getAuthorizationToken()
        }
        guard let token, !token.isEmpty else {
            throw SwitchboardError(.unauthorized, "the authorization provider gave no token")
        }
        return BearerToken.header(token)
    }
}
