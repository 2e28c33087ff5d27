import GatewayModel
import GuardedHTTP
import Identity
import TextFormats

/// The request for an id token at a token endpoint (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
struct TokenRequest {
    /// The timeout for the whole exchange, in seconds: a device waits for it.
    static let timeoutSeconds: Int64 = 10
    /// The maximum size of a response; an id token has a few KB.
    static let maxResponseBytes = 64 << 10

    /// The gateway's id at the provider.
    var clientID: String
    /// Its secret there, UTF-8.
    var clientSecret: [UInt8]
    /// How it authenticates there.
    var clientAuth: IdentityProviderDetails.ClientAuthentication
    var code: String
    var redirectURI: String
    var codeVerifier: String?

    /// Returns the request; the client secret appears here only.
    ///
    /// - Parameters:
    ///   - url: The token endpoint.
    ///   - owner: The brand of the provider; empty for the operators' one.
    /// - Returns: The request.
    func message(to url: GuardedURL, owner: String) -> GuardedRequest {
        var headers = [
            ("accept", "application/json"), ("content-type", "application/x-www-form-urlencoded"),
            ("user-agent", "switchboard"),
        ]
        var fields = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI)]
        if let codeVerifier { fields.append(("code_verifier", codeVerifier)) }
        switch clientAuth {
        case .basic:
            // Both are form-encoded first (RFC 6749 section 2.3.1).
            let secret = PercentEncoding.encode(clientSecret, .form)
            let pair = PercentEncoding.encode(clientID.utf8, .form) + ":" + secret
            headers.append(("authorization", "Basic " + StrictBase64.encode(pair.utf8, .standard)))
        case .body:
            fields.append(("client_id", clientID))
            fields.append(("client_secret", String(decoding: clientSecret, as: UTF8.self)))
        }
        return GuardedRequest(
            url: url,
            method: .post(FormEncoding.body(fields)),
            headers: headers,
            responseBody: .read(maxBytes: Self.maxResponseBytes),
            timeout: .seconds(Self.timeoutSeconds),
            owner: owner
        )
    }
}
