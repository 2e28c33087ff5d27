internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The body of one request as it arrives.
///
/// Unchecked: its state is guarded by being used by one task only, that of the request.
final class ArrivingBody: @unchecked Sendable {
    /// Whether the request's head announces a body.
    let isAnnounced: Bool
    /// The length that the head announces.
    let announcedLength: Int?
    private var iterator: RequestBody.AsyncIterator
    /// What has arrived and was not taken yet.
    private var first: ByteBuffer?

    init(_ request: Request) {
        announcedLength = request.headers.value(.contentLength).flatMap { Int($0) }
        isAnnounced = announcedLength ?? 0 > 0 || request.headers.contains(.transferEncoding)
        iterator = request.body.makeAsyncIterator()
    }

    /// Waits for the first bytes, or for the end of a body without any.
    @concurrent
    func begin() async throws { if first == nil { first = try await receive() } }

    /// Takes the next bytes.
    ///
    /// - Returns: One or more bytes; nil at the end of the body.
    /// - Throws: What the connection throws.
    @concurrent
    func next() async throws -> ByteBuffer? {
        guard let first else { return try await receive() }
        self.first = nil
        return first
    }

    @concurrent
    private func receive() async throws -> ByteBuffer? {
        while let part = try await iterator.next() {
            if part.readableBytes > 0 { return part }
        }
        return nil
    }
}
