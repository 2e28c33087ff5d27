/// The address that a pool connects to.
///
/// Any thread.
package struct HTTP2Target: Hashable, Sendable {
    /// The host to dial: a name, resolved again for each connection, or an IP address.
    package var host: String

    /// The port to dial.
    package var port: Int

    /// The name that the certificate must match, also used in SNI and `:authority`: a DNS name or an IP address.
    package var serverName: String

    /// Creates a target; the server name defaults to the host.
    package init(host: String, port: Int = 443, serverName: String? = nil) {
        self.host = host
        self.port = port
        self.serverName = serverName ?? host
    }

    /// `:authority` (RFC 9113 section 8.3.1): the port only when it is not 443, IPv6 in brackets.
    var authority: String {
        let name = serverName.utf8.contains(UInt8(ascii: ":")) ? "[\(serverName)]" : serverName
        return port == 443 ? name : "\(name):\(port)"
    }
}
