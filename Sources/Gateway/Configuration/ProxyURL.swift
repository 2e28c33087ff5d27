import Foundation

/// The URL of the outbound proxy in the settings: `http://[user:password@]HOST:PORT`.
struct ProxyURL: Equatable {
    /// The address of the proxy.
    let address: ListenAddress
    /// The user; nil when the proxy requires none.
    let user: String?
    /// The password, a secret; nil when the URL holds none.
    let password: String?

    /// Parses a URL with user and password percent-encoded where RFC 3986 requires it; nil when it has another form.
    init?(_ text: String) {
        guard text.lowercased().hasPrefix("http://") else { return nil }
        var rest = text.dropFirst("http://".count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var (user, password) = (String?.none, String?.none)
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap({ Self.decoded($0) }), !name.isEmpty else { return nil }
            // The user of Basic authentication ends at the first colon (RFC 7617 section 2).
            guard !name.utf8.contains(UInt8(ascii: ":")) else { return nil }
            user = name
            if parts.count > 1 {
                guard let secret = Self.decoded(parts[1]) else { return nil }
                password = secret
            }
            rest = rest[rest.index(after: at)...]
        }
        guard let address = ListenAddress(String(rest)), address.port > 0,
            address.host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.address = address
        self.user = user
        self.password = password
    }

    private static func decoded(_ text: Substring) -> String? {
        guard let decoded = text.removingPercentEncoding, decoded.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        return decoded
    }
}
