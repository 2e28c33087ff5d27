package import HTTPTransfers
internal import TextFormats

/// The HTTP proxy of outgoing connections (`provider.proxy`), with its credentials, and the hosts that are reached
/// without it.
package struct OutboundProxy: Sendable, CustomStringConvertible {
    /// A name or an address, IPv6 without brackets.
    package var host: String { transferProxy.host }
    /// The port.
    package var port: Int { transferProxy.port }
    /// The proxy of a request.
    package let transferProxy: TransferProxy
    private let exceptions: ProxyExceptions

    /// Creates a description of a proxy; the host is a name or an address, IPv6 without brackets, the port is 1 to
    /// 65535.
    ///
    /// Without `credentials` no Basic authentication is sent.
    package init(
        host: String,
        port: Int,
        credentials: (user: String, password: String)? = nil,
        exceptions: ProxyExceptions = .loopback
    ) {
        transferProxy = TransferProxy(host: host, port: port, credentials: credentials)
        self.exceptions = exceptions
    }

    /// `HOST:PORT`, without the credentials.
    package var description: String { InternetAddress(host)?.isV6 == true ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The value of `Proxy-Authorization`, a secret; nil without credentials.
    package var authorizationHeader: String? {
        transferProxy.credentials.map { "Basic \(StrictBase64.encode("\($0.user):\($0.password)".utf8, .standard))" }
    }

    /// Returns whether connections to a host, named or by its address, go through the proxy; false for the exceptions.
    package func isUsed(for host: String) -> Bool { !exceptions.contains(host) }
}
