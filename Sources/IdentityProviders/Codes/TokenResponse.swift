import GuardedHTTP
import Identity
import TextFormats

/// The meaning of a token endpoint's response for the caller with the code (RFC 6749 section 5).
enum TokenResponse: Equatable {
    /// The id token.
    case token(String)
    /// The provider rejects the code.
    case refused(TokenInvalidReason)
    /// The provider has an error, or rejects the gateway; the text contains nothing of the response.
    case unavailable(String)

    /// Interprets a response.
    init(_ response: GuardedResponse) {
        let members = response.members
        switch response.status {
        case 200:
            guard case .string(let token)? = members?["id_token"], !token.isEmpty else {
                self = .unavailable("The identity provider's response has no id token.")
                return
            }
            self = .token(token)
        case 400, 401:
            guard case .string(let error)? = members?["error"] else {
                self = .unavailable("The identity provider's error response has no error code.")
                return
            }
            let description: String =
                if case .string(let text)? = members?["error_description"] { text.asciiLowercased } else { "" }
            self = Self.rejection(error, description)
        default:
            self = .unavailable("The identity provider responds with status \(response.status).")
        }
    }

    private static func rejection(_ error: String, _ description: String) -> TokenResponse {
        // The provider's text only selects one of our reasons; it is not passed on.
        let words: [StaticString] = ["verifier", "challenge", "pkce"]
        let isAboutVerifier = words.contains { description.containsBytes(of: $0) }
        switch BoundedName(error) {
        // `invalid_code` is not standard, but some providers send it.
        case "invalid_grant", "invalid_code":
            if isAboutVerifier { return .refused(.pkceMismatch) }
            // The standard's own description of the error mentions redirection together with all other reasons.
            let isAboutRedirect = description.containsBytes(of: "redirect") && !description.containsBytes(of: "revoked")
            return .refused(isAboutRedirect ? .redirectMismatch : .revoked)
        // Some providers report a missing verifier as an invalid request (R60).
        case "invalid_request" where isAboutVerifier: return .refused(.pkceMismatch)
        case "invalid_client", "unauthorized_client":
            return .unavailable("The identity provider rejects this gateway's client id and secret.")
        default: return .unavailable("The identity provider rejects this gateway's request.")
        }
    }
}
