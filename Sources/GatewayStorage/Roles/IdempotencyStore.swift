package import GatewayModel

/// The part of a ``GatewayStore`` that remembers requests with an idempotency key.
package protocol IdempotencyStore: Sendable {
    /// Records a running request with an idempotency key, and deletes some requests from `oldest` or before, which
    /// count as deleted; nil deletes none.
    ///
    /// - Returns: The record of an earlier request with the same key, in which case nothing was written; nil for the
    ///   first.
    func beginIdempotent(
        _ record: IdempotencyRecord,
        forgetting oldest: Timestamp?
    ) async throws(StorageError) -> IdempotencyRecord?

    /// Stores the response of a recorded request, or deletes the record when there is none because the request changed
    /// nothing.
    func endIdempotent(key: [UInt8], response: IdempotencyRecord.Response?) async throws(StorageError)
}
