package import AsyncHTTPClient

/// The HTTP proxy of outgoing connections (`provider.proxy`), with its credentials, and the hosts that are reached
/// without it.
package struct OutboundProxy: Sendable, CustomStringConvertible {
    /// A name or an address, IPv6 without brackets.
    package let host: String
    /// The port.
    package let port: Int
    private let authorization: HTTPClient.Authorization?
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
        self.host = host
        self.port = port
        self.exceptions = exceptions
        authorization = credentials.map { HTTPClient.Authorization.basic(username: $0.user, password: $0.password) }
    }

    /// `HOST:PORT`, without the credentials.
    package var description: String { InternetAddress(host)?.isV6 == true ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The value of `Proxy-Authorization`, a secret; nil without credentials.
    package var authorizationHeader: String? { authorization?.headerValue }

    /// Returns whether connections to a host, named or by its address, go through the proxy; false for the exceptions.
    package func isUsed(for host: String) -> Bool { !exceptions.contains(host) }

    /// Makes an HTTP client use the proxy for all its requests.
    package func apply(to configuration: inout HTTPClient.Configuration) {
        configuration.proxy = .server(host: host, port: port, authorization: authorization)
        // A proxy that rejects the credentials must not be asked again at once: it may lock the account.
        configuration.connectionPool.retryConnectionEstablishment = false
    }
}
