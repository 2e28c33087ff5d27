internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Collects the body of a response as bytes; usable from any thread.
final class CollectingWriter: ResponseBodyWriter, Sendable {
    /// The bytes that were written.
    let bytes = Mutex<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws { bytes.withLock { $0 += buffer.readableBytesView } }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
