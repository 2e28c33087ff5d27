/// The address of a listener.
package struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// A name or an address, IPv6 without brackets.
    var host: String
    /// 0 lets the system choose.
    var port: Int

    /// Creates an address of a host, named or by its address, and a port from 0 to 65535.
    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`, IPv6 in brackets (`[::1]:8080`); nil when the text has another form.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.allSatisfy(\.isASCII), digits.allSatisfy(\.isNumber), let port = Int(digits),
            port <= 65_535
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "[" || $0 == "]" }) else {
            return nil
        }
        self.init(host: String(host), port: port)
    }

    /// Whether only this host can reach it.
    package var isLoopback: Bool {
        // A name may begin like an address.
        let isIPv4 = host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
        return host == "localhost" || host == "::1" || isIPv4 && host.hasPrefix("127.")
    }

    /// `HOST:PORT`, as in a URL.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
