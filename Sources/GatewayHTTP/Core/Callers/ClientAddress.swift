internal import GuardedHTTP
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// The origin of a request.
enum ClientAddress: Equatable {
    /// This host, and not a proxy on it.
    case local
    /// An address.
    case remote(InternetAddress)
    /// The connection has no address.
    case unknown

    /// Determines the caller's address: the connection's, or the one that the trusted proxies report.
    ///
    /// The last entries of `X-Forwarded-For` are from trusted proxies; anybody may write the first ones. A proxy that
    /// names no address counts as the caller itself.
    ///
    /// - Parameters:
    ///   - peer: The remote address of the connection; nil for a socket without addresses.
    ///   - forwarded: The values of `X-Forwarded-For`, in order.
    ///   - isProxied: Whether the request has a field that only proxies add.
    ///   - proxies: The trusted proxies.
    init(
        peer: InternetAddress?,
        forwarded: @autoclosure () -> [String],
        isProxied: @autoclosure () -> Bool,
        proxies: [AddressRange]
    ) {
        guard let peer = peer?.unmapped else {
            self = .unknown
            return
        }
        func isPeer(in ranges: [AddressRange]) -> Bool { ranges.contains { $0.contains(peer) } }
        let isTrusted = isPeer(in: proxies)
        // A proxy on this host that does not name its client is not this host: its client can be anybody. A proxy that
        // leaves no trace is known only from the settings: whoever lists a proxy on this host has one.
        let hasLocalProxy = isTrusted && proxies != AddressRange.loopback
        let isLocal = isPeer(in: AddressRange.loopback) && !hasLocalProxy && !isProxied()
        self = isLocal ? .local : .remote(peer)
        guard isTrusted else { return }
        let hops = forwarded().flatMap { $0.byteSplit(",") }.map { Self.hop($0.trimmingBlanks) }
        guard let first = hops.first else { return }
        let client = hops.last { hop in hop.map { hop in !proxies.contains { $0.contains(hop) } } ?? true } ?? first
        if let client { self = .remote(client) }
    }

    /// Returns the values of `X-Forwarded-For`, or without them what `Forwarded` says in their form (RFC 7239 section 5.2).
    ///
    /// A proxy that sets only `Forwarded` must remove `X-Forwarded-For`, which anybody may send.
    static func hops(_ xForwardedFor: [String], _ forwarded: @autoclosure () -> [String]) -> [String] {
        xForwardedFor.isEmpty ? values("for=", of: forwarded()) : xForwardedFor
    }

    /// Returns whether proxies say that all requests of their chain came over HTTPS: by `X-Forwarded-Proto`, or without it
    /// by `Forwarded`.
    static func isSecure(_ xForwardedProto: [String], _ forwarded: @autoclosure () -> [String]) -> Bool {
        let named = xForwardedProto.flatMap { $0.byteSplit(",", omittingEmptySubsequences: false) }
        let schemes = named.isEmpty ? values("proto=", of: forwarded()) : named.map { String($0.trimmingBlanks) }
        return !schemes.isEmpty && schemes.allSatisfy { $0.isWord("https") }
    }

    /// Returns a parameter of each element of `Forwarded`, "" where it is absent; its name is in lower case and ends with
    /// `=`.
    private static func values(_ name: BoundedName, of forwarded: [String]) -> [String] {
        forwarded.flatMap { $0.byteSplit(",") }.map { element in
            let node = element.byteSplit(";").map(\.trimmingBlanks).first {
                BoundedName(lowercasing: Substring($0.utf8.prefix(name.text.utf8.count))) == name
            }
            guard let value = node?.utf8.dropFirst(name.text.utf8.count) else { return "" }
            let quote = UInt8(ascii: "\"")
            return String(Substring(value.drop { $0 == quote }.prefix { $0 != quote }))
        }
    }

    /// Parses an entry of `X-Forwarded-For`: an address, after which some proxies write the port; nil for anything
    /// else.
    private static func hop(_ entry: Substring) -> InternetAddress? {
        if let address = InternetAddress(String(entry)) { return address.unmapped }
        if entry.utf8.first == UInt8(ascii: "["), let end = entry.utf8.lastIndex(of: UInt8(ascii: "]")) {
            return InternetAddress(String(entry[..<end].dropFirst())).flatMap { $0.isV6 ? $0.unmapped : nil }
        }
        let parts = entry.byteSplit(":", omittingEmptySubsequences: false)
        return parts.count == 2 ? InternetAddress(String(parts[0])) : nil
    }

    /// The address for the request log; nil when there is none.
    var logText: String? {
        switch self {
        case .local: "local"
        case .remote(let address): address.description
        case .unknown: nil
        }
    }

    /// Whether only proxies add a field, named in lower case (RFC 7239, RFC 9110 section 7.6.3, and what most proxies
    /// do).
    static func isProxyField(_ name: String) -> Bool {
        // Called for each field of each request.
        switch name.utf8.first {
        case UInt8(ascii: "f"): name.hasSameBytes(as: "forwarded")
        case UInt8(ascii: "v"): name.hasSameBytes(as: "via")
        case UInt8(ascii: "x"): name.hasBytePrefix("x-forwarded-") || name.hasSameBytes(as: "x-real-ip")
        default: false
        }
    }
}
