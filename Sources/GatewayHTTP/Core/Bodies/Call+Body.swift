internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

extension Call {
    /// The maximum length of the body of every route except the events route.
    static let maxBodyBytes = 1 << 20

    /// Reads the body into memory.
    ///
    /// - Parameter limit: The maximum length; read again when the first bytes are known.
    /// - Returns: The body; never more than the limit is in memory.
    /// - Throws: `Problem` 413, and what the connection throws.
    func body(limit: (ByteBufferView?) -> Int) async throws -> ByteBuffer {
        let announced = arriving.announcedLength
        if let announced, announced > limit(nil) { throw Problem(tooLong: limit(nil)) }
        // Again, in case its brand is known now.
        try arriving.checkRoom()
        var body: ByteBuffer?
        var most = limit(nil)
        while var part = try await arriving.next() {
            guard var whole = body else {
                most = limit(part.readableBytesView)
                if max(announced ?? 0, part.readableBytes) > most { throw Problem(tooLong: most) }
                body = part
                continue
            }
            body = nil
            guard whole.readableBytes + part.readableBytes <= most else { throw Problem(tooLong: most) }
            whole.append(&part)
            body = whole
        }
        return body ?? ByteBuffer()
    }

    /// The number of bytes that the event parser needs after the text.
    static let padding = 64

    /// Reads a body that is a JSON object.
    ///
    /// - Parameters:
    ///   - mayBeEmpty: Whether an empty body is the same as `{}`.
    ///   - ofAnyType: Whether `Content-Type` is ignored: some HTTP libraries send a form's type unless told otherwise.
    /// - Returns: The object, to be read with ``FieldChecks``.
    /// - Throws: `Problem` 400, 413, 415, 422, and what the connection throws.
    func object(mayBeEmpty: Bool = false, ofAnyType: Bool = false) async throws -> BodyObject {
        if !ofAnyType { try checkObjectType() }
        let buffer = try await body { _ in Self.maxBodyBytes }
        if mayBeEmpty, buffer.readableBytes == 0 { return BodyObject(members: [:]) }
        return try object(in: buffer, ofAnyType: true)
    }

    /// Reads a body that has arrived and must be a JSON object.
    ///
    /// - Parameters:
    ///   - body: The whole body.
    ///   - ofAnyType: Whether `Content-Type` is ignored.
    /// - Returns: The object, to be read with ``FieldChecks``.
    /// - Throws: `Problem` 400, 415, 422.
    func object(in body: ByteBuffer, ofAnyType: Bool = false) throws(Problem) -> BodyObject {
        if !ofAnyType { try checkObjectType() }
        guard body.readableBytes > 0 else { throw .unreadable("The body is empty.") }
        return try BodyObject.parse(Array(body.readableBytesView))
    }

    private func checkObjectType() throws(Problem) {
        guard let contentType = request.headers.value(.contentType) else { return }
        switch MediaTypeName(contentType) {
        case "application/json", "application/merge-patch+json": break
        default: throw Problem(.unsupportedMediaType, "The body must be application/json.")
        }
    }
}

extension Problem {
    /// The error of a body that has more bytes than a limit.
    init(tooLong limit: Int) { self.init(.payloadTooLarge, "The body must have at most \(limit) bytes.") }
}

extension ByteBuffer {
    /// Appends a part of a body.
    ///
    /// Memory grows with the bytes that have arrived, never with the announced length. It grows by doubling, because a
    /// buffer's capacity is a power of 2.
    ///
    /// - Parameter part: The part.
    mutating func append(_ part: inout ByteBuffer) {
        reserveCapacity(minimumWritableBytes: part.readableBytes + Call.padding)
        writeBuffer(&part)
    }
}
