/// The reason why a caller could not be authenticated.
///
/// It contains nothing that the caller sent, so that it may be logged and returned as it is.
package enum AuthenticationError: Error, Sendable, Equatable {
    /// No credential, a malformed one, or an unknown one; an unknown user and a wrong secret are indistinguishable
    /// (R2).
    case unauthorized
    /// It was valid and has expired: the caller needs a new one (R54).
    case tokenExpired
    /// It will never be accepted (R54).
    case tokenInvalid(TokenInvalidReason)
    /// A required claim is missing (R53), which is the reason `missing_claim`; the name is a fixed one, never the
    /// caller's text.
    case missingClaim(String)
    /// The signature is valid, but a claim about the consumer is not (R31); the name is a fixed one, never the caller's
    /// text.
    case invalidClaim(name: String, detail: String)
    /// An upstream service (a JWK set, a token endpoint) does not respond as it should.
    ///
    /// The text names the service and the error, without anything of its response: for operators, not for the caller.
    case upstreamUnavailable(String)

    /// The API's stable code (APIConventions page).
    package var code: String {
        switch self {
        case .unauthorized: "unauthorized"
        case .tokenExpired: "token_expired"
        case .tokenInvalid, .missingClaim: "token_invalid"
        case .invalidClaim: "invalid_request"
        case .upstreamUnavailable: "upstream_unavailable"
        }
    }

    /// The API's `reason` of `token_invalid`; nil for every other code.
    package var reason: String? {
        switch self {
        case .tokenInvalid(let reason): reason.rawValue
        case .missingClaim: TokenInvalidReason.missingClaim.rawValue
        case .unauthorized, .tokenExpired, .invalidClaim, .upstreamUnavailable: nil
        }
    }

    /// A sentence for the caller, without anything that the caller sent.
    package var text: String {
        switch self {
        case .unauthorized: "The credentials are missing or not valid."
        case .tokenExpired: "The token has expired."
        case .tokenInvalid(let reason): Self.text(of: reason)
        case .missingClaim(let name): "The required claim \(name) is missing."
        case .invalidClaim(let name, let detail): "The claim \(name) \(detail)."
        case .upstreamUnavailable: "The identity provider is unavailable; try again later."
        }
    }

    private static func text(of reason: TokenInvalidReason) -> String {
        switch reason {
        case .malformed: "The token is not well formed."
        case .badSignature: "The signature of the token is not valid."
        case .missingClaim: "A required claim is missing."
        case .unknownKey: "The key of the token is not known."
        case .unknownIssuer: "The issuer of the token is not known."
        case .wrongAlgorithm: "The algorithm of the token is not the key's."
        case .wrongAudience: "The token is meant for another audience."
        case .notYetValid: "The token is not valid yet."
        case .lifetime: "The token is valid for longer than its credential allows."
        case .reused: "The token was presented before."
        case .codeReused: "The code was presented before."
        case .redirectMismatch: "The redirect URI is not one of the identity provider's."
        case .pkceMismatch: "The code verifier is missing or wrong."
        case .revoked: "The token is not, or no longer, valid."
        }
    }
}
