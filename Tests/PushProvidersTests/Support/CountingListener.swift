import NIOCore
import NIOPosix
import Synchronization

/// A listener on this host that closes every connection at once and counts them.
final class CountingListener: Sendable {
    private let accepted = Mutex(0)
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    /// Listens on a free port of 127.0.0.1.
    static func start() async throws -> CountingListener {
        let listener = CountingListener()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [listener] channel in
                listener.accepted.withLock { $0 += 1 }
                return channel.close()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        listener.channel.withLock { $0 = channel }
        return listener
    }

    /// The port.
    var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }

    /// The number of connections.
    var connections: Int { accepted.withLock { $0 } }

    /// Stops listening.
    func stop() async { try? await channel.withLock { $0 }?.close().get() }
}
