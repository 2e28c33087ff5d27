package import GatewayModel

/// The part of a ``GatewayStore`` with the accounts and sessions of operators.
///
/// An audit entry is written in the same transaction as the change; nil writes none.
package protocol OperatorStore: Sendable {
    /// Stores a new account; roles of unknown brands are left out.
    ///
    /// - Returns: False when there are as many accounts as the limit allows.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when the name is taken.
    func insertOperator(
        _ account: StoredOperator,
        limit: Int,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// Changes an account's password, its roles or both; nil leaves them. Its sessions end when the password changes.
    ///
    /// - Returns: The account as it is now; nil when there is none.
    func updateOperator(
        _ name: OperatorName,
        password: String?,
        grants: [OperatorGrant]?,
        at now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> StoredOperator?

    /// Deletes an account with its sessions and its links to deliveries; false when there is none.
    func deleteOperator(_ name: OperatorName, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Returns all accounts, by name: an instance has few.
    func operators() async throws(StorageError) -> [StoredOperator]

    /// Returns an account; nil when there is none.
    func findOperator(_ name: OperatorName) async throws(StorageError) -> StoredOperator?

    /// Stores a session, and deletes those that were opened before a time and the account's oldest beyond a number.
    ///
    /// - Returns: False when the account is gone or its password is not the given one any more; then nothing is changed.
    func openOperatorSession(
        _ session: StoredOperatorSession,
        password: String?,
        keeping limit: Int,
        openedAfter oldest: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// Returns the session of a token, named by its SHA-256, and its account; nil when there is none.
    ///
    /// One that is too old is returned as long as it is stored.
    func operatorSession(
        tokenHash: [UInt8]
    ) async throws(StorageError) -> (session: StoredOperatorSession, account: StoredOperator)?

    /// Records that a session was used.
    func useOperatorSession(tokenHash: [UInt8], at now: Timestamp) async throws(StorageError)

    /// Deletes a session; false when there is none.
    func endOperatorSession(tokenHash: [UInt8], audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Returns a message for a caller who gave a reason, and writes the entry, unless the caller has written as many of
    /// them since a time as the limit allows.
    ///
    /// - Parameters:
    ///   - id: The message.
    ///   - entry: The entry ``AuditAction/messageRevealed``, which names brand and caller.
    ///   - limit: The maximum number of messages.
    ///   - start: The time from which they are counted.
    /// - Returns: The message, or why it is not shown.
    /// - Throws: `StorageError`.
    func revealMessage(
        _ id: MessageID,
        audit entry: AuditEntry,
        limit: Int,
        since start: Timestamp
    ) async throws(StorageError) -> Revelation
}
