import Identity

extension AuthenticationError {
    /// The error without the name of a missing claim, for tables of reasons.
    var withoutName: AuthenticationError {
        if case .missingClaim = self { .tokenInvalid(.missingClaim) } else { self }
    }
}
