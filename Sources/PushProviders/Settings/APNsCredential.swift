import GatewayModel

/// The settings of APNs for one environment, checked and parsed.
struct APNsCredential: Sendable {
    /// The authentication of a connection.
    enum Authentication: Sendable {
        /// Each push carries a token signed with this key.
        case token(APNsTokenKey)
        /// The connection authenticates with this certificate.
        case certificate(APNsCertificate)
    }

    /// The authentication of a connection.
    let authentication: Authentication
    /// The app's bundle id.
    let topic: String
    /// The endpoint to connect to.
    let endpoint: ProviderEndpoint
    /// Whether a badge push after a read elsewhere wakes the app.
    let wakesOnRead: Bool

    /// Apple's hosts (ProviderFacts page, A1).
    private static func host(_ environment: PushEnvironment) -> String {
        switch environment {
        case .production: "https://api.push.apple.com:443"
        case .sandbox: "https://api.sandbox.push.apple.com:443"
        }
    }

    init(_ settings: APNsSettings, environment: PushEnvironment, now: Timestamp) throws(PushCredentialError) {
        wakesOnRead = settings.wakesOnRead
        if let topic = settings.topic { try Self.check(topic: topic) }
        switch settings.authentication {
        case .token(let token):
            authentication = .token(try APNsTokenKey(token, environment: environment))
            guard let topic = settings.topic else { throw Self.wrongTopic }
            self.topic = topic
        case .certificate(let certificate):
            let certificate = try APNsCertificate(certificate)
            guard certificate.facts.expiresAt > now else {
                throw PushCredentialError(
                    pointer: "/apns/certificate",
                    detail: CertificateExpiry.expired(at: certificate.facts.expiresAt)
                )
            }
            authentication = .certificate(certificate)
            topic = try certificate.topic(chosen: settings.topic)
        }
        let (own, pointer) =
            switch environment {
            case .production: (settings.endpoints?.production, "/apns/endpoints/production")
            case .sandbox: (settings.endpoints?.sandbox, "/apns/endpoints/sandbox")
            }
        guard let endpoint = ProviderEndpoint(own ?? Self.host(environment)) else {
            throw PushCredentialError(pointer: pointer, detail: "must be https://host:port")
        }
        self.endpoint = endpoint
    }

    private static let wrongTopic = PushCredentialError(pointer: "/apns/topic", detail: "must be the app's bundle id")

    private static func check(topic: String) throws(PushCredentialError) {
        let isFine =
            !topic.isEmpty && topic.utf8.count <= 256 && topic.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isFine else { throw wrongTopic }
    }
}
