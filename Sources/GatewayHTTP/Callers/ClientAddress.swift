internal import GuardedHTTP
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Where a request comes from.
enum ClientAddress: Equatable {
    /// This machine, and no proxy on it.
    case local
    /// This address.
    case remote(String)
    /// The connection has no address.
    case unknown

    /// The caller's address: the connection's, or what the proxies that are trusted say (`X-Forwarded-For`, whose last
    /// entries are theirs and whose first ones anybody may write).
    ///
    /// - Parameters:
    ///   - peer: The other end of the connection; nil for a socket without addresses.
    ///   - forwarded: The values of `X-Forwarded-For`, in order.
    ///   - isProxied: Whether the request has a field that only proxies add.
    ///   - proxies: The proxies that are trusted.
    init(peer: String?, forwarded: [String], isProxied: @autoclosure () -> Bool, proxies: [AddressRange]) {
        guard let peer else {
            self = .unknown
            return
        }
        let isTrusted = proxies.contains { $0.contains(peer) }
        // A proxy on this machine that does not say for whom it speaks is not this machine: it speaks for anybody. One that
        // leaves no trace is known by the settings alone: who names a proxy on this machine has one.
        let hasLocalProxy = isTrusted && proxies != AddressRange.loopback
        let isLocal = AddressRange.loopback.contains { $0.contains(peer) } && !hasLocalProxy && !isProxied()
        self = isLocal ? .local : .remote(peer)
        guard isTrusted else { return }
        let hops = forwarded.flatMap { $0.byteSplit(",") }.map { String($0.trimmingBlanks) }
        guard let first = hops.first else { return }
        self = .remote(hops.last { hop in !proxies.contains { $0.contains(hop) } } ?? first)
    }

    /// The address for the request log; nil when there is none.
    var logText: String? {
        switch self {
        case .local: "local"
        // What a proxy forwards may be any text.
        case .remote(let address): InternetAddress(address) == nil ? "unreadable" : address
        case .unknown: nil
        }
    }

    /// Whether only proxies add a field (RFC 7239, RFC 9110 section 7.6.3, and what most of them do).
    ///
    /// - Parameter name: The field's name in lower case.
    /// - Returns: Whether it is one of them.
    static func isProxyField(_ name: String) -> Bool {
        let name = name.utf8
        return name.starts(with: "x-forwarded-".utf8)
            || ["forwarded", "via", "x-real-ip"].contains { name.elementsEqual($0.utf8) }
    }
}

extension String {
    /// What an address is counted by: IPv4 by itself, IPv6 by its first 64 bits, of which one site has all the rest (RFC 4291
    /// section 2.5.4, RFC 6177).
    var network: [UInt8] {
        guard let bytes = InternetAddress(self)?.unmapped.bytes else { return Array(utf8) }
        return Array(bytes.prefix(8))
    }
}
