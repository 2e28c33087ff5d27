/// A listening address: `HOST:PORT`, an IPv6 address in brackets.
package struct SimulatorAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, without brackets.
    package var host: String
    /// 0 lets the system choose.
    package var port: Int

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - host: A name or an address, without brackets.
    ///   - port: 0 lets the system choose.
    package init(host: String = "127.0.0.1", port: Int = 0) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`; nil for anything else.
    ///
    /// - Parameter text: For example `127.0.0.1:2197` or `[::1]:0`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = Int(port)
    }

    /// `HOST:PORT` as in a URL.
    package var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
