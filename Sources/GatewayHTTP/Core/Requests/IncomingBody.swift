internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// The body of one request as it arrives, with its reserved memory.
///
/// Unchecked: its state is used by one task only, that of the request.
final class IncomingBody: @unchecked Sendable {
    /// Whether the request's head announces a body.
    let isAnnounced: Bool
    /// The length that the head announces.
    let announcedLength: Int?
    /// Whether the caller sends the body only when it is asked for it, or after a while.
    private let mustBeAsked: Bool
    /// The part of the announced length that has not arrived; nil while the length is not known.
    private var missing: Int?
    /// Guarded like the rest: only the request's task uses it.
    nonisolated(unsafe) private var iterator: RequestBody.AsyncIterator
    /// The bytes that have arrived and were not taken yet.
    private var first: ByteBuffer?
    private let budget: BodyBudget
    private var owner = BodyOwner()
    private var isRoomChecked = false
    /// The bytes for which memory is reserved, until the end.
    private var held = 0

    init(_ request: Request, budget: BodyBudget) {
        self.budget = budget
        announcedLength = request.headers.value(.contentLength).flatMap { Int($0) }
        isAnnounced = announcedLength ?? 0 > 0 || request.headers.contains(.transferEncoding)
        mustBeAsked = BoundedName(lowercasing: request.headers.value(.expect) ?? "") == "100-continue"
        missing = announcedLength
        iterator = request.body.makeAsyncIterator()
    }

    /// Counts the body for its caller's address.
    func belongs(to address: AddressShare?) { owner.address = address }

    /// Counts the body for its caller's brand, if nothing of it was read before.
    func belongs(to brand: BrandID) {
        guard held == 0 else { return }
        owner.brand = brand
        isRoomChecked = false
    }

    /// Rejects the body (503) when there is no room for its announced length; checks once for each owner.
    func checkRoom() throws(Problem) {
        // A body that is longer than the maximum is rejected for that.
        guard !isRoomChecked, let announcedLength, announcedLength <= EventRoutes.maxBatchBytes else { return }
        isRoomChecked = true
        try budget.check(max(announcedLength - held, 1), of: owner)
    }

    /// Releases its memory; for the end of the request, however it ends.
    func end() {
        if held > 0 { budget.release(held, of: owner) }
        held = 0
    }

    /// Waits for the first bytes, or for the end of an empty body; asks for them if the caller waits for that. Returns at
    /// once when the body is too long for every route.
    func begin(_ context: GatewayContext) async throws {
        // A route rejects one that is too long before it is sent.
        guard announcedLength ?? 0 <= EventRoutes.maxBatchBytes else { return }
        if mustBeAsked { context.askForBody() }
        if first == nil { first = try await receive() }
    }

    /// Returns the next bytes.
    ///
    /// - Returns: One or more bytes, for which memory is reserved until ``end()``; nil at the end of the body.
    /// - Throws: `Problem` 503 when there is no room for them, and the connection's errors.
    func next() async throws -> ByteBuffer? {
        var arrived = first
        if arrived != nil { first = nil } else { arrived = try await receive() }
        guard let bytes = arrived else { return nil }
        try budget.take(bytes.readableBytes, of: owner)
        held += bytes.readableBytes
        return bytes
    }

    private func receive() async throws -> ByteBuffer? {
        // The codec ends a body at its announced length (RFC 9112 section 6.3): no need to wait for the end.
        while missing != 0, let part = try await iterator.next() {
            missing? -= part.readableBytes
            if part.readableBytes > 0 { return part }
        }
        return nil
    }
}
