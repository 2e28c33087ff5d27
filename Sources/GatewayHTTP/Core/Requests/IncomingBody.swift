internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// The body of one request as it arrives, with its reserved memory.
///
/// Unchecked: its state is used by one task only, that of the request, or on one event loop.
final class IncomingBody: @unchecked Sendable {
    /// How its bytes are coded (RFC 9110 section 8.4).
    enum Coding {
        case identity
        case gzip
        case unknown
    }

    /// How its bytes are coded; `next` decodes gzip.
    let coding: Coding
    /// Whether the request's head announces a body.
    let isAnnounced: Bool
    /// The length that the head announces, before it is decoded.
    let announcedLength: Int?
    /// Whether the caller sends the body only when it is asked for it, or after a while.
    private let mustBeAsked: Bool
    /// The part of the announced length that has not arrived; nil while the length is not known.
    private var missing: Int?
    /// Guarded like the rest.
    nonisolated(unsafe) private var iterator: RequestBody.AsyncIterator
    /// The bytes that have arrived and were not taken yet.
    private var first: ByteBuffer?
    private let budget: BodyBudget
    private var owner = BodyOwner()
    private var isRoomChecked = false
    /// The bytes for which memory is reserved, until the end.
    private var held = 0
    private var gzip: GzipReader?
    private var packedBytes = 0

    init(_ request: Request, budget: BodyBudget) {
        self.budget = budget
        announcedLength = request.headers.value(.contentLength).flatMap { Int($0) }
        isAnnounced = announcedLength ?? 0 > 0 || request.headers.contains(.transferEncoding)
        mustBeAsked = BoundedName(lowercasing: request.headers.value(.expect) ?? "") == "100-continue"
        coding =
            switch BoundedName(lowercasing: request.headers.value(.contentEncoding) ?? "identity") {
            case "identity": .identity
            case "gzip", "x-gzip": .gzip
            default: .unknown
            }
        missing = announcedLength
        iterator = request.body.makeAsyncIterator()
    }

    /// The address for which it is counted; nil for none.
    var address: AddressShare? { owner.address }

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
        gzip = nil
        if held > 0 { budget.release(held, of: owner) }
        held = 0
    }

    /// Waits for the first bytes, or for the end of an empty body; asks for them if the caller waits for that.
    ///
    /// Returns at once when the body is too long for every route.
    func begin(_ context: GatewayContext) async throws {
        // A route rejects one that is too long before it is sent.
        guard announcedLength ?? 0 <= EventRoutes.maxBatchBytes else { return }
        if mustBeAsked { context.askForBody() }
        if first == nil { first = try await receive() }
    }

    /// Returns the next bytes, decoded.
    ///
    /// - Returns: One or more bytes, for which memory is reserved until ``end()``; nil at the end of the body.
    /// - Throws: `Problem` 503 when there is no room for them, 400 and 413 when they cannot be decoded, and the
    ///   connection's errors.
    func next() async throws -> ByteBuffer? {
        guard let bytes = try await coding == .gzip ? unpacked() : arrived() else { return nil }
        try reserve(bytes.readableBytes)
        return bytes
    }

    /// Reserves memory for bytes until ``end()``; throws `Problem` 503 when there is no room for them.
    func reserve(_ bytes: Int) throws(Problem) {
        try budget.take(bytes, of: owner)
        held += bytes
    }

    private func unpacked() async throws -> ByteBuffer? {
        if gzip == nil { try reserve(GzipReader.memory) }
        let gzip = try gzip ?? GzipReader()
        self.gzip = gzip
        while true {
            if let bytes = try gzip.next() { return bytes }
            guard let packed = try await arrived() else {
                try gzip.finish()
                return nil
            }
            // The reader's limit is that of the unpacked bytes, and there may be none.
            packedBytes += packed.readableBytes
            guard packedBytes <= EventRoutes.maxBatchBytes else { throw Problem(tooLong: EventRoutes.maxBatchBytes) }
            gzip.add(packed)
        }
    }

    private func arrived() async throws -> ByteBuffer? {
        guard let bytes = first else { return try await receive() }
        first = nil
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
