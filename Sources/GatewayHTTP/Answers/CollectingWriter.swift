internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Takes the body of an answer as bytes; any thread.
final class CollectingWriter: ResponseBodyWriter, Sendable {
    /// What was written.
    let bytes = Mutex<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws { bytes.withLock { $0 += buffer.readableBytesView } }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
