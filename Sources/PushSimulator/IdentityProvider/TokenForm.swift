internal import Cryptography
internal import TextFormats

/// The form of a token request, each field at most once (RFC 6749 section 3.2).
struct TokenForm {
    private let fields: [String: String]

    init(_ request: SimulatorRequest) throws(OAuthError) {
        guard request.method == "POST" else {
            throw OAuthError(error: "invalid_request", text: "Only POST is taken.")
        }
        let type = request.header("content-type")?.split(separator: ";").first?.lowercased()
        guard type == "application/x-www-form-urlencoded", let pairs = FormDecoder.fields(of: request.body) else {
            throw OAuthError(error: "invalid_request", text: "The body must be a form.")
        }
        var fields: [String: String] = [:]
        for (name, value) in pairs {
            guard fields.updateValue(value, forKey: name) == nil else {
                throw OAuthError(error: "invalid_request", text: "Repeated parameter: \(name)")
            }
        }
        self.fields = fields
    }

    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self.fields[name], !value.isEmpty else {
            throw OAuthError(error: "invalid_request", text: "Missing parameter: \(name)")
        }
        return value
    }

    /// Returns the client's credentials, from the header or the body, never from both (RFC 6749 section 2.3).
    func client(authorization: String?) throws(OAuthError) -> (id: String, secret: String) {
        guard let authorization else {
            guard let id = self.fields["client_id"], let secret = self.fields["client_secret"] else {
                throw OAuthError(error: "invalid_client", text: "The client does not say who it is.")
            }
            return (id, secret)
        }
        guard self.fields["client_id"] == nil, self.fields["client_secret"] == nil else {
            throw OAuthError(error: "invalid_request", text: "The client says twice who it is.")
        }
        let words = authorization.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "basic",
            let pair = StrictBase64.decode(words[1].utf8, .standard),
            let colon = pair.firstIndex(of: UInt8(ascii: ":")),
            let id = PercentEncoding.decode(pair[..<colon], .form),
            let secret = PercentEncoding.decode(pair[(colon + 1)...], .form)
        else { throw OAuthError(error: "invalid_client", text: "The Authorization field is not Basic.") }
        return (id, secret)
    }

    /// Checks the verifier (RFC 7636 section 4.6), only S256; a verifier without a challenge is rejected too (RFC 9700
    /// section 4.8.2).
    func checkVerifier(of challenge: String?) throws(OAuthError) {
        guard let challenge else {
            guard self.fields["code_verifier"] == nil else {
                throw .grant("There is a code_verifier, but the code has no code_challenge.")
            }
            return
        }
        guard let verifier = self.fields["code_verifier"] else { throw .grant("The code_verifier is missing.") }
        let hash = Array(SHA256.hash(data: Array(verifier.utf8)))
        guard (43...128).contains(verifier.utf8.count), StrictBase64.encode(hash, .url) == challenge else {
            throw .grant("The code_verifier does not match the code_challenge.")
        }
    }
}
