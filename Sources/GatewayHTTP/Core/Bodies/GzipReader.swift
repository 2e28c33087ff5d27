internal import CZlib
internal import NIOCore

/// Unpacks the gzip format (RFC 1952) in pieces, so that a short text that unpacks to a long one ends at its reader's limit.
///
/// For one task at a time.
final class GzipReader {
    /// The memory of a reader, without the bytes that it is given and returns: zlib's window and state.
    static let memory = 48 << 10
    /// The most bytes of a piece.
    private static let pieceBytes = 65_536

    /// zlib refers to it by its address.
    private let stream: UnsafeMutablePointer<z_stream>
    /// The packed bytes that are not read yet.
    private var packed = ByteBuffer()
    /// Whether the last byte that was read was a member's last one; the text is a series of members.
    private var isComplete = false

    /// Throws `Problem` 500 when there is no memory.
    init() throws(Problem) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // The largest window, and 16 for gzip only.
        let result = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { throw Problem(.internal, "There is no memory to unpack the body.") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Adds packed bytes, after all before them have been unpacked.
    func add(_ bytes: ByteBuffer) { packed = bytes }

    /// Returns one or more of the next unpacked bytes; nil when all are returned.
    ///
    /// Throws `Problem` 400.
    func next() throws(Problem) -> ByteBuffer? {
        var piece = ByteBuffer()
        while true {
            if isComplete {
                guard packed.readableBytes > 0 else { return nil }
                inflateReset(stream)
                isComplete = false
            }
            switch unpack(into: &piece) {
            case Z_OK: break
            case Z_STREAM_END: isComplete = true
            // Nothing more without further bytes.
            case Z_BUF_ERROR: return nil
            default: throw Self.damaged
            }
            if piece.readableBytes > 0 { return piece }
        }
    }

    /// Throws `Problem` 400 unless the last member is complete.
    func finish() throws(Problem) { guard isComplete else { throw Self.damaged } }

    private static var damaged: Problem { .unreadable("The body is not complete, valid gzip.") }

    private func unpack(into piece: inout ByteBuffer) -> Int32 {
        // A short text needs no long buffer.
        let size = min(Self.pieceBytes, 256 + 4 * packed.readableBytes)
        var result = Z_OK
        piece.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { output in
            packed.readWithUnsafeReadableBytes { input in
                let start = input.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
                stream.pointee.avail_in = UInt32(clamping: input.count)
                stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(clamping: output.count)
                result = inflate(stream, Z_NO_FLUSH)
                return input.count - Int(stream.pointee.avail_in)
            }
            return output.count - Int(stream.pointee.avail_out)
        }
        return result
    }
}
