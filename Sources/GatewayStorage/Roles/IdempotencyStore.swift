package import GatewayModel

/// The part of a ``GatewayStore`` that remembers requests with an idempotency key.
package protocol IdempotencyStore: Sendable {
    /// Records a running request with an idempotency key, and deletes some requests from before a moment.
    ///
    /// - Parameters:
    ///   - record: The request, without a response.
    ///   - oldest: Requests from this moment or before count as deleted; nil deletes none.
    /// - Returns: The record of an earlier request with the same key, in which case nothing was written; nil for the
    ///   first.
    /// - Throws: `StorageError`.
    func beginIdempotent(
        _ record: IdempotencyRecord,
        forgetting oldest: Timestamp?
    ) async throws(StorageError) -> IdempotencyRecord?

    /// Stores the response of a recorded request, or deletes the record when the request changed nothing.
    ///
    /// - Parameters:
    ///   - key: The request's ``IdempotencyRecord/key``.
    ///   - response: The response; nil deletes the record.
    /// - Throws: `StorageError`.
    func endIdempotent(key: [UInt8], response: IdempotencyRecord.Response?) async throws(StorageError)
}
