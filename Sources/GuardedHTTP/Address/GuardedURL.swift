/// A URL that a tenant set, checked as far as possible without a DNS lookup.
///
/// A strict parser reads it, and it is written again from its parts, so that the HTTP client sees the URL that was
/// checked.
package struct GuardedURL: Sendable, Equatable {
    /// The reason why a URL is rejected; the text is for the caller that sets it.
    package struct Rejection: Error, Sendable, Equatable {
        /// The text.
        package let text: String
    }

    /// The maximum length of a URL.
    package static let maxBytes = 2048

    /// Whether the scheme is https.
    package let isSecure: Bool
    /// The host in lower case; an IPv6 address without brackets.
    package let host: String
    /// The host as an address, if it is one and not a name.
    package let literal: InternetAddress?
    /// The port; nil for the scheme's default.
    package let port: UInt16?
    /// The path with the query; empty or beginning with a slash.
    package let path: String

    /// 127.0.0.1.
    private static let loopback = InternetAddress.v4(0x7F00_0001)

    /// The destination port.
    package var dialledPort: UInt16 { port ?? (isSecure ? 443 : 80) }

    /// Whether the host is a name or an address of this host.
    package var isLoopback: Bool {
        if let literal { return AddressKind(literal) == .loopback }
        return host == "localhost" || host.hasSuffix(".localhost")
    }

    /// The URL for the HTTP client.
    package var text: String { origin + path }

    /// The scheme, the host, and the port if it is not the scheme's default.
    package var origin: String {
        let name = literal?.isV6 == true ? "[\(host)]" : host
        return (isSecure ? "https://" : "http://") + name + (port.map { ":\($0)" } ?? "")
    }

    /// Parses and checks a URL.
    package init(_ text: String, policy: AddressPolicy) throws(Rejection) {
        guard text.utf8.count <= Self.maxBytes, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else {
            throw Rejection(text: "must be at most \(Self.maxBytes) visible ASCII characters without backslashes")
        }
        let lower = text.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://") else {
            throw Rejection(text: "must be an https URL")
        }
        isSecure = lower.hasPrefix("https")
        let rest = text.dropFirst(isSecure ? 8 : 7)
        guard !rest.contains("#") else { throw Rejection(text: "must have no fragment") }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        path = rest[end...].hasPrefix("?") ? "/" + rest[end...] : String(rest[end...])
        guard !authority.contains("@") else { throw Rejection(text: "must have no user name or password") }
        (host, literal, port) = try Self.parse(authority)
        guard isSecure || isLoopback else { throw Rejection(text: "must be https; plain http only reaches this host") }
        // A name of this host is checked like its address; other names are checked when the client connects.
        if let address = literal ?? (isLoopback ? Self.loopback : nil) {
            try policy.check(address, port: dialledPort, isLoopback: isLoopback)
        }
    }

    private static func parse(
        _ authority: Substring
    ) throws(Rejection) -> (host: String, literal: InternetAddress?, port: UInt16?) {
        var name = authority
        var port: UInt16?
        let bracket = authority.lastIndex(of: "]")
        if let colon = authority.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
            let digits = authority[authority.index(after: colon)...]
            guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(digits), number > 0 else {
                throw Rejection(text: "must have a port from 1 to 65535, or none")
            }
            port = number
            name = authority[..<colon]
        }
        if name.hasPrefix("[") {
            guard name.hasSuffix("]"), let address = InternetAddress(String(name.dropFirst().dropLast())), address.isV6
            else { throw Rejection(text: "must have a host") }
            return (address.description, address, port)
        }
        let host = name.lowercased()
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy {
                    ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x7A) || $0 == 0x2D || $0 == 0x5F
                }
        }
        guard isName, host.utf8.count <= 253, let last = labels.last else { throw Rejection(text: "must have a host") }
        // Systems parse 2130706433, 0x7f.1 and 0177.0.0.1 as addresses: only the dotted-decimal form is accepted
        // (WHATWG URL).
        guard last.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) || last.hasPrefix("0x") else {
            return (host, nil, port)
        }
        guard let address = InternetAddress(host), address.description == host else {
            throw Rejection(text: "must have an IPv4 address as four decimal numbers")
        }
        return (host, address, port)
    }
}
