import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
public import SwitchboardClient
import TLS

/// The window transport over SwiftNIO, for systems whose Foundation has no WebSocket.
///
/// Connections run on NIO's shared event loops. TLS verifies the server with the system's certificates.
public struct NIOWindowTransport: WindowTransport {
    /// The most bytes of a message: those that the gateway sends.
    static let maxMessageBytes = 65_536

    /// The TLS context, or the error for which there is none.
    private let tls: Result<TLSClientContext, TLSFailure>

    /// Creates a transport.
    public init() { self.init(tls: Result { () throws(TLSFailure) in try TLSClientContext() }) }

    init(tls: Result<TLSClientContext, TLSFailure>) { self.tls = tls }

    /// Opens a WebSocket.
    ///
    /// - Parameter request: The request of the upgrade.
    /// - Returns: The open connection.
    /// - Throws: `connectivity` if the response is not an upgrade; errors of TLS, and of NIO without a connection or after
    ///   the timeout.
    public func open(_ request: HTTPRequest) async throws -> any WindowConnection {
        let target = try WindowTarget(request)
        let context = try target.isSecure ? tls.get() : nil
        let timeout = TimeAmount(request.timeout)
        let upgraded: EventLoopFuture<NIOWindowConnection?> = try await ClientBootstrap(
            group: MultiThreadedEventLoopGroup.singleton
        )
        .connectTimeout(timeout)
        .connect(host: target.host, port: target.port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try Self.configure(channel, target, context, timeout: timeout)
            }
        }
        guard let connection = try await upgraded.get() else {
            throw SwitchboardError(.connectivity, "the gateway, or a proxy before it, did not open a WebSocket")
        }
        return connection
    }

    /// Adds the handlers of the upgrade; on the event loop.
    private static func configure(
        _ channel: any Channel,
        _ target: WindowTarget,
        _ context: TLSClientContext?,
        timeout: TimeAmount
    ) throws -> EventLoopFuture<NIOWindowConnection?> {
        if let context { try context.secure(channel, serverName: target.host, offering: .http1) }
        let upgrader = NIOTypedWebSocketClientUpgrader<NIOWindowConnection?>(
            maxFrameSize: maxMessageBytes,
            enableAutomaticErrorHandling: false,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try NIOWindowConnection(addingTo: channel) }
            }
        )
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration<NIOWindowConnection?>(
            upgradeRequestHead: target.head,
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.close(promise: nil)
                return channel.eventLoop.makeSucceededFuture(nil)
            }
        )
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade)
        // The gateway's first frame may come with the response.
        configuration.leftOverBytesStrategy = .forwardBytes
        let upgraded = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: configuration
        )
        let timer = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        upgraded.whenComplete { _ in timer.cancel() }
        return upgraded
    }
}
