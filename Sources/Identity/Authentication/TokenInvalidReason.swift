/// The `reason` of `token_invalid` (APIConventions page); the raw value is the JSON value.
package enum TokenInvalidReason: String, Sendable, CaseIterable {
    /// It is not a token of the expected form, or a member has the wrong type.
    case malformed
    /// The signature is not the key's.
    case badSignature = "bad_signature"
    /// A required claim is missing; where it is known, ``AuthenticationError/missingClaim(_:)`` names it.
    case missingClaim = "missing_claim"
    /// No key is named, or an unknown one.
    case unknownKey = "unknown_key"
    /// `iss` names an unknown issuer.
    case unknownIssuer = "unknown_issuer"
    /// `alg` is not the key's algorithm.
    case wrongAlgorithm = "wrong_algorithm"
    /// `aud` does not contain this gateway.
    case wrongAudience = "wrong_audience"
    /// `iat` or `nbf` is in the future.
    case notYetValid = "not_yet_valid"
    /// It is valid for longer than its credential allows.
    case lifetime
    /// It was presented before, and its credential accepts it only once.
    case reused
    /// The code was presented before (R51).
    case codeReused = "code_reused"
    /// The redirect URI is not one of the identity provider's (R52).
    case redirectMismatch = "redirect_mismatch"
    /// The PKCE verifier is missing or wrong (R60).
    case pkceMismatch = "pkce_mismatch"
    /// The session or the key was revoked, or never existed.
    case revoked
}
