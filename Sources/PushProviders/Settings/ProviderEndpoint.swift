import HTTP2Connections

/// The endpoint of a provider in the settings: `https://host:port`.
struct ProviderEndpoint: Hashable, Sendable {
    /// The target of connections.
    var target: HTTP2Target

    /// `host:port`, for operators.
    var name: String { "\(target.host):\(target.port)" }

    /// The endpoint as a URL, for address checks.
    var url: String {
        target.host.utf8.contains(UInt8(ascii: ":")) ? "https://[\(target.host)]:\(target.port)" : "https://\(name)"
    }

    /// Parses an endpoint: scheme https, a host, an optional port, and at most a slash; nil for anything else.
    init?(_ text: String) {
        guard text.utf8.count <= 512, text.lowercased().hasPrefix("https://") else { return nil }
        var rest = text.dropFirst("https://".count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var port = 443
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let tail = rest[rest.index(after: end)...]
            let host = rest[rest.index(after: rest.startIndex)..<end]
            guard Self.isPort(tail, &port), host.utf8.contains(UInt8(ascii: ":")), Self.isHost(host) else { return nil }
            target = HTTP2Target(host: String(host), port: port)
            return
        }
        let colon = rest.firstIndex(of: ":") ?? rest.endIndex
        let host = rest[..<colon]
        guard Self.isPort(rest[colon...], &port), !host.isEmpty, Self.isHost(host),
            !host.utf8.contains(UInt8(ascii: ":"))
        else { return nil }
        target = HTTP2Target(host: String(host), port: port)
    }

    private static func isPort(_ text: Substring, _ port: inout Int) -> Bool {
        if text.isEmpty { return true }
        guard text.first == ":", text.utf8.dropFirst().allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let number = Int(text.dropFirst()), (1...65_535).contains(number)
        else { return false }
        port = number
        return true
    }

    private static func isHost(_ host: Substring) -> Bool {
        host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
    }
}
