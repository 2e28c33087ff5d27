import NIOCore
import NIOPosix

/// A provider that accepts every TCP connection and never sends anything.
struct BlackHole {
    private let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }

    static func open() async throws -> BlackHole {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        return BlackHole(channel: channel)
    }

    func close() async { try? await channel.close() }
}
