import GuardedHTTP
import Identity
import TextFormats

/// What a token endpoint's answer means for the one who presented the code (RFC 6749 section 5).
enum TokenAnswer: Equatable {
    /// The id token.
    case token(String)
    /// The provider does not take the code.
    case refused(TokenInvalidReason)
    /// The provider is in trouble, or we are with it; the text is ours alone.
    case unavailable(String)

    /// Reads an answer.
    ///
    /// - Parameter answer: Any answer of the endpoint.
    init(_ answer: GuardedAnswer) {
        let members: StrictJSON.Members? =
            if case .object(let members)? = try? StrictJSON.parse(answer.body) { members } else { nil }
        switch answer.status {
        case 200:
            guard case .string(let token)? = members?["id_token"], !token.isEmpty else {
                self = .unavailable("The identity provider's answer holds no id token.")
                return
            }
            self = .token(token)
        case 400, 401:
            guard case .string(let error)? = members?["error"] else {
                self = .unavailable("The identity provider refuses in a way that is not understood.")
                return
            }
            let description: String =
                if case .string(let text)? = members?["error_description"] { text.asciiLowercased } else { "" }
            self = Self.refusal(error, description)
        default:
            self = .unavailable("The identity provider answers with status \(answer.status).")
        }
    }

    private static func refusal(_ error: String, _ description: String) -> TokenAnswer {
        // The provider's words choose one of ours; they go no further.
        let words: [StaticString] = ["verifier", "challenge", "pkce"]
        let isAboutVerifier = words.contains { description.containsBytes(of: $0) }
        switch BoundedName(error) {
        // `invalid_code` is not the standard's, and some send it.
        case "invalid_grant", "invalid_code":
            if isAboutVerifier { return .refused(.pkceMismatch) }
            // The standard's own description of the error names redirection together with everything else that may be wrong.
            let isAboutRedirect = description.containsBytes(of: "redirect") && !description.containsBytes(of: "revoked")
            return .refused(isAboutRedirect ? .redirectMismatch : .revoked)
        // A verifier that is missing is an invalid request to some (R60).
        case "invalid_request" where isAboutVerifier: return .refused(.pkceMismatch)
        case "invalid_client", "unauthorized_client":
            return .unavailable("The identity provider does not take this gateway's client id and secret.")
        default: return .unavailable("The identity provider does not take this gateway's request.")
        }
    }
}
