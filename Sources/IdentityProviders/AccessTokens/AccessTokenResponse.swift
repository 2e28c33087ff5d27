import GuardedHTTP
import TextFormats

/// The meaning of a token service's response (RFC 6749 section 5).
enum AccessTokenResponse: Equatable {
    /// The access token; nothing relies on its lifetime (R170).
    case token(String)
    /// The service has an error, or rejects the gateway; the text contains nothing of the response.
    case unavailable(String)

    /// Interprets a response.
    init(_ response: GuardedResponse) {
        let members = response.members
        switch response.status {
        case 200:
            // Visible ASCII (RFC 6750 section 2.1): it is sent in a header.
            guard case .string(let token)? = members?["access_token"], !token.isEmpty,
                token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                self = .unavailable("The token service's response has no access token.")
                return
            }
            // Talkdesk's own example reads nothing else, so it may be absent.
            if let type = members?["token_type"] {
                guard case .string(let name) = type, name.asciiLowercased.hasSameBytes(as: "bearer") else {
                    self = .unavailable("The token service's response has a token of another type.")
                    return
                }
            }
            self = .token(token)
        case 400, 401:
            guard case .string? = members?["error"] else {
                self = .unavailable("The token service's error response has no error code.")
                return
            }
            self = .unavailable("The token service rejects this gateway's assertion or scope.")
        default:
            self = .unavailable("The token service responds with status \(response.status).")
        }
    }
}
