/// The part of a ``GatewayStore`` that remembers authorization codes.
package protocol CodeStore: Sendable {
    /// Records that an authorization code was presented, so that no node accepts it again, and deletes some of those
    /// that are past ``RedeemedCode/lifetimeMilliseconds``.
    ///
    /// - Returns: True the first time; false when it was burnt before, and then nothing is changed.
    /// - Throws: `StorageError`; the code may be burnt then.
    func markCodeUsed(_ code: RedeemedCode) async throws(StorageError) -> Bool
}
