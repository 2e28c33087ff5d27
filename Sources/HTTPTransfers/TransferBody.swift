/// The body of a response as it arrives, in chunks of at most about 256 KiB; one iteration.
///
/// The peer waits while the consumer does. Releasing the sequence and its iterator cancels the transfer.
package struct TransferBody: AsyncSequence, Sendable {
    /// The iterator, which throws ``TransferFailure`` when the body does not end as it should.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let owner: Owner

        /// Returns the next chunk; nil after the end.
        package mutating func next() async throws(TransferFailure) -> [UInt8]? { try await owner.transfer.chunk() }

        /// The same; the consumer's isolation has no effect.
        package mutating func next(
            isolation: isolated (any Actor)?
        ) async throws(TransferFailure) -> [UInt8]? { try await owner.transfer.chunk() }
    }

    /// Cancels the transfer when the last reference is released.
    fileprivate final class Owner: Sendable {
        let transfer: Transfer

        init(_ transfer: Transfer) { self.transfer = transfer }

        deinit { transfer.cancel() }
    }

    private let owner: Owner

    init(_ transfer: Transfer) { owner = Owner(transfer) }

    var transfer: Transfer { owner.transfer }

    /// Returns the whole body; throws ``TransferFailure/Reason/tooLarge`` when it is longer than `maxBytes`.
    package func collect(upTo maxBytes: Int) async throws(TransferFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await transfer.chunk() {
            guard bytes.count + chunk.count <= maxBytes else { throw TransferFailure(.tooLarge, mayHaveSent: true) }
            bytes += chunk
        }
        return bytes
    }

    /// Creates the iterator.
    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(owner: owner) }
}
