internal import NIOCore
internal import TLS

/// TLS and HTTP/2 framing of one connection: bytes from the socket in, bytes for the socket out.
///
/// Confined to its connection's event loop.
final class SecureTransport {
    /// The effects of received bytes, besides the events of the framing.
    struct Progress {
        var becameSecure = false
        var peerClosed = false
    }

    /// The largest TLS record (RFC 8446 section 5.1): small frames are combined up to it and encrypted together.
    private static let recordSize = 16_384

    let tls: TLSSession
    private let framing: FramingSession
    private let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: recordSize, alignment: 16)
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: recordSize, alignment: 16)
    private var filled = 0

    init(tls: TLSSession, framing: FramingSession) {
        self.tls = tls
        self.framing = framing
    }

    deinit {
        plaintext.deallocate()
        scratch.deallocate()
    }

    /// Starts the handshake; a client's first flight is then in the output.
    func start() throws(HTTP2ConnectionFailure) {
        do { _ = try tls.handshake() } catch { throw .tls(error) }
    }

    /// Decrypts bytes of the socket and passes them to the framing.
    func receive(_ buffer: ByteBuffer) throws(HTTP2ConnectionFailure) -> Progress {
        var progress = Progress()
        do {
            try buffer.withUnsafeReadableBytes { (bytes) throws(TLSFailure) in try tls.receive(bytes) }
            if !tls.isEstablished {
                guard try tls.handshake() else { return progress }
                progress.becameSecure = true
            }
        } catch { throw .tls(error) }
        while true {
            let result: TLSSession.ReadResult
            do { result = try tls.read(into: scratch) } catch { throw .tls(error) }
            switch result {
            case .bytes(let count):
                try framing.receive(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
            case .needsMore:
                return progress
            case .closed:
                progress.peerClosed = true
                return progress
            }
        }
    }

    /// Encrypts frames until there are no more or about `limit` bytes wait for the socket.
    ///
    /// - Returns: Whether there may be more.
    func encrypt(limit: Int) throws(HTTP2ConnectionFailure) -> Bool {
        guard tls.isEstablished else { return false }
        while let chunk = try framing.nextChunk() {
            if filled + chunk.count > Self.recordSize { try encryptFilled() }
            if chunk.count >= Self.recordSize {
                do { try tls.write(chunk) } catch { throw .tls(error) }
            } else {
                UnsafeMutableRawBufferPointer(rebasing: plaintext[filled...]).copyMemory(from: chunk)
                filled += chunk.count
            }
            if tls.pendingOutput >= limit {
                try encryptFilled()
                return true
            }
        }
        try encryptFilled()
        return false
    }

    /// Queues close_notify after what was encrypted.
    func close() {
        tls.close()
    }

    /// The bytes for the socket, if any.
    func takeOutput(allocator: ByteBufferAllocator) -> ByteBuffer? {
        let pending = tls.pendingOutput
        guard pending > 0 else { return nil }
        var buffer = allocator.buffer(capacity: pending)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: pending) { bytes in tls.takeOutput(into: bytes) }
        return buffer
    }

    private func encryptFilled() throws(HTTP2ConnectionFailure) {
        guard filled > 0 else { return }
        defer { filled = 0 }
        do { try tls.write(UnsafeRawBufferPointer(rebasing: plaintext[..<filled])) } catch { throw .tls(error) }
    }
}
