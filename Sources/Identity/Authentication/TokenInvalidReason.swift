/// What refines `token_invalid` (APIConventions page); the raw value is the word on the wire.
package enum TokenInvalidReason: String, Sendable, CaseIterable {
    /// It is not a token of the expected shape, or a member has the wrong type.
    case malformed
    /// The signature is not the key's.
    case badSignature = "bad_signature"
    /// A claim that must be there is not.
    case missingClaim = "missing_claim"
    /// Nothing names a key of ours, or what is named is not ours.
    case unknownKey = "unknown_key"
    /// `iss` names nobody whom we know.
    case unknownIssuer = "unknown_issuer"
    /// `alg` is not the key's algorithm.
    case wrongAlgorithm = "wrong_algorithm"
    /// `aud` names others.
    case wrongAudience = "wrong_audience"
    /// `iat` or `nbf` lies in the future.
    case notYetValid = "not_yet_valid"
    /// It is valid for longer than its credential allows.
    case lifetime
    /// It was presented before, and its credential accepts it once only.
    case reused
    /// The code was presented before (R51).
    case codeReused = "code_reused"
    /// The redirect URI is none of the identity provider's (R52).
    case redirectMismatch = "redirect_mismatch"
    /// The PKCE verifier is missing or wrong (R60).
    case pkceMismatch = "pkce_mismatch"
    /// The session or the key was ended, or was never ours.
    case revoked
}
