package import GatewayModel

/// An operator's account.
package struct StoredOperator: Sendable, Equatable {
    /// The name, by which the operator signs in.
    package var name: OperatorName
    /// The hash of the password with its parameters; nil for an account that cannot sign in by a password.
    package var password: String?
    /// The roles, at most one for each brand and one for the instance, sorted by brand, the instance's first.
    package var grants: [OperatorGrant]
    /// When the account was created.
    package var createdAt: Timestamp
    /// When the password or the roles were last changed.
    package var updatedAt: Timestamp

    /// Creates an account.
    package init(
        name: OperatorName,
        password: String?,
        grants: [OperatorGrant],
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.name = name
        self.password = password
        self.grants = grants
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A session of an operator.
package struct StoredOperatorSession: Sendable, Equatable {
    /// The SHA-256 of the token.
    package var tokenHash: [UInt8]
    /// The account.
    package var name: OperatorName
    /// When it was opened.
    package var openedAt: Timestamp
    /// When it was last used, to the minute.
    package var usedAt: Timestamp

    /// Creates a session.
    package init(tokenHash: [UInt8], name: OperatorName, openedAt: Timestamp, usedAt: Timestamp) {
        self.tokenHash = tokenHash
        self.name = name
        self.openedAt = openedAt
        self.usedAt = usedAt
    }
}

/// The result of a request for a message's text.
package enum Revelation: Sendable {
    /// The message; the audit trail has the request.
    case message(Message)
    /// The brand has no such message; nothing was written.
    case unknown
    /// The caller has revealed as many as it may; the time is that of the oldest one that counts. Nothing was written.
    case limited(since: Timestamp)
}
