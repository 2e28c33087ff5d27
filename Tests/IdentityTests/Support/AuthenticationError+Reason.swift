import Identity

extension AuthenticationError {
    /// The error without the name of a missing claim, for tables of reasons.
    var withoutName: AuthenticationError {
        if case .missingClaim = self { .tokenInvalid(.missingClaim) } else { self }
    }

    /// Whether an upstream service caused the error.
    var isUpstream: Bool { if case .upstreamUnavailable = self { true } else { false } }
}
