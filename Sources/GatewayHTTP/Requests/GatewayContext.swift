package import Hummingbird
internal import NIOCore

/// What goes along with a request through the router.
package struct GatewayContext: RequestContext {
    /// What Hummingbird needs.
    package var coreContext: CoreRequestContextStorage
    /// What names the request; set by the first middleware.
    var requestID = ""
    /// Whether the caller is on this machine.
    let isLoopback: Bool

    /// Takes what the server knows of the connection.
    ///
    /// - Parameter source: The connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        isLoopback = source.channel.remoteAddress.map(Self.isLoopback) ?? false
    }

    private static func isLoopback(_ address: SocketAddress) -> Bool {
        switch address {
        case .unixDomainSocket: return true
        case .v4, .v6:
            guard let text = address.ipAddress else { return false }
            return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
        }
    }
}
