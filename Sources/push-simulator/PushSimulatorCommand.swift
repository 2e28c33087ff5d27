import ArgumentParser
import Glibc
import PushSimulator

/// The program.
@main
struct PushSimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-simulator",
        abstract: "Simulates Apple's and Google's push services, an identity provider, Talkdesk and Chatwoot.",
        discussion: """
            Starts APNs, FCM (with Google's token endpoint at /token) and a control port, prints their addresses, and \
            runs until SIGTERM or SIGINT. Clients must trust ca.pem of the certificates folder.

            It also simulates an identity provider, on FCM's port over TLS and on the control port without: POST \
            /identity-provider/token exchanges codes (authorization code grant, PKCE S256), GET \
            /identity-provider/jwks has the keys. On the control port PUT /identity-provider/codes gives codes: an \
            array of {"code", "redirectUri", "clientId", "codeChallenge"?, "claims", "expiresIn"?}; POST \
            /identity-provider/keys {"algorithm"?: RS256, PS256 or ES256, "retireOthers"?} makes a new signing key. \
            Its tokens' iss is \(SimulatedIdentityProvider.issuer). On the control port it is an OpenID provider, too: \
            /identity-provider is the issuer, whose configuration is published, and PUT /identity-provider/login \
            {"redirectUris", "claims", "fault"?} gives the person whom GET /identity-provider/authorize signs in; a \
            fault is one of \(SimulatedLogin.Fault.allCases.map(\.rawValue).joined(separator: ", ")). PUT /rules makes it misbehave: {"match": \
            {"provider": "identityProvider", "tokenPrefix"?: token, jwks, configuration or authorize}, "do": {"status"?, "reason"?, "delayMs"?, \
            "html"?, "body"?, "location"?, "wrongSignature"?, "silent"?}}.

            On the control port it also simulates Talkdesk's token service (POST /talkdesk/oauth/token) and a brand's \
            service that decides about its tokens (POST /talkdesk/decision). PUT /talkdesk/clients gives clients: an \
            array of {"clientId", "keyId", "publicKey", "decisionSecret"?}. Rules name it talkdesk, with the \
            tokenPrefix token or decision.

            And Chatwoot's API, below /chatwoot of the control port: POST \
            /chatwoot/api/v1/accounts/{account}/conversations/{conversation}/messages takes contacts' messages. PUT \
            /chatwoot/accounts gives accounts: an array of {"accountId", "token", "conversations"}. GET \
            /chatwoot/messages has what was taken. Rules name it chatwoot, with the conversation as tokenPrefix.
            """
    )

    @Option(help: "The address of APNs, HOST:PORT; port 0 chooses a free one.")
    var apns = SimulatorAddress(port: 2197)

    @Option(help: "The address of FCM and the token endpoint.")
    var fcm = SimulatorAddress(port: 2198)

    @Option(help: "The address of the control port (plain HTTP, no authentication).")
    var control = SimulatorAddress(port: 2199)

    @Option(help: "The only client of the identity provider.")
    var clientId = "switchboard"

    @Option(help: "The secret of that client.")
    var clientSecret = "simulator secret"

    @Option(help: "The folder of certificates and credentials; by default a temporary one.")
    var certificates: String?

    @Flag(help: "Validate and count pushes, but store none.")
    var quiet = false

    @Option(help: "Delay received bytes by this many milliseconds, 0 to 10000, to simulate a distant provider.")
    var roundTripMs = 0

    @Option(help: "The window of each stream for a request's body in bytes, 1 to 2147483647.")
    var streamWindow: UInt32 = 65_535

    @Option(help: "Delay window updates by this many milliseconds, 0 to 10000.")
    var windowUpdateDelayMs: Int?

    @Option(help: "The servers' certificate: sound (valid), other-host, expired or self-signed.")
    var certificate = ServerCertificateKind.sound

    @Option(help: "MAX_CONCURRENT_STREAMS; for APNs after the first accepted push on the connection.")
    var streams: UInt32 = 1000

    func validate() throws {
        guard (0...10_000).contains(self.roundTripMs) else {
            throw ValidationError("--round-trip-ms must be 0 to 10000")
        }
        guard (0...10_000).contains(self.windowUpdateDelayMs ?? 0) else {
            throw ValidationError("--window-update-delay-ms must be 0 to 10000")
        }
        guard (1...0x7FFF_FFFF).contains(self.streamWindow) else {
            throw ValidationError("--stream-window must be 1 to 2147483647")
        }
    }

    func run() async throws {
        var configuration = SimulatorConfiguration()
        configuration.apns = self.apns
        configuration.fcm = self.fcm
        configuration.control = self.control
        configuration.certificates = self.certificates
        configuration.clientID = self.clientId
        configuration.clientSecret = self.clientSecret
        configuration.isQuiet = self.quiet
        configuration.roundTripMilliseconds = self.roundTripMs
        configuration.streamWindow = self.streamWindow
        configuration.windowUpdateDelayMilliseconds = self.windowUpdateDelayMs
        configuration.streams = self.streams
        configuration.certificate = self.certificate
        do {
            try await SimulatorService(configuration: configuration).runUntilSignalled()
        } catch let error as SimulatorError {
            let text = Array("push-simulator: \(error)\n".utf8)
            _ = write(STDERR_FILENO, text, text.count)
            throw ExitCode.failure
        }
    }
}

extension ServerCertificateKind: ExpressibleByArgument {}

extension SimulatorAddress: ExpressibleByArgument {
    /// Parses `HOST:PORT`.
    public init?(argument: String) { self.init(argument) }

    /// The default value in the usage text.
    public var defaultValueDescription: String { self.description }
}
