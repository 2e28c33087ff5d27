import GatewayModel
import GuardedHTTP
import TextFormats

/// The published configuration of an identity provider (OpenID Connect Discovery section 3), as far as it is used.
struct ProviderConfiguration: Sendable {
    /// The maximum size of the document.
    static let maxBytes = 64 << 10

    /// The URL to which browsers are sent.
    var authorizationEndpoint: String
    /// The URL of the token endpoint.
    var tokenEndpoint: GuardedURL
    /// The URL of the JWK set.
    var keysURL: String
    /// How clients authenticate at the token endpoint.
    var clientAuth: IdentityProviderDetails.ClientAuthentication
    /// Whether it names itself when it sends the browser back (RFC 9207).
    var namesItself: Bool

    /// Returns where an issuer publishes it (OpenID Connect Discovery section 4).
    static func address(of issuer: String) -> String {
        let base = issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer
        return base + "/.well-known/openid-configuration"
    }

    /// Reads a response; nil when it is none of this issuer, or an address in it is not allowed.
    init?(_ response: GuardedResponse, issuer: String, _ client: GuardedHTTPClient) {
        guard response.status == 200, let members = response.members,
            members["issuer"]?.text?.hasSameBytes(as: issuer) ?? false,
            let authorization = members["authorization_endpoint"]?.text.flatMap({ try? client.url($0) }),
            let token = members["token_endpoint"]?.text.flatMap({ try? client.url($0) }),
            let keys = members["jwks_uri"]?.text.flatMap({ try? client.url($0) })
        else { return nil }
        authorizationEndpoint = authorization.text
        tokenEndpoint = token
        keysURL = keys.text
        var methods: [String] = []
        if case .array(let items)? = members["token_endpoint_auth_methods_supported"] {
            methods = items.compactMap(\.text)
        }
        let hasBasic = methods.isEmpty || methods.contains { $0.hasSameBytes(as: "client_secret_basic") }
        clientAuth = hasBasic ? .basic : .body
        namesItself = members["authorization_response_iss_parameter_supported"] == .bool(true)
    }
}
