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
        let address = InternetAddress(peer)
        func isPeer(in ranges: [AddressRange]) -> Bool {
            guard let address else { return false }
            return ranges.contains { $0.contains(address) }
        }
        let isTrusted = isPeer(in: proxies)
        // A proxy on this machine that does not say for whom it speaks is not this machine: it speaks for anybody. One that
        // leaves no trace is known by the settings alone: who names a proxy on this machine has one.
        let hasLocalProxy = isTrusted && proxies != AddressRange.loopback
        let isLocal = isPeer(in: AddressRange.loopback) && !hasLocalProxy && !isProxied()
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
        // Each request is asked for each of its fields.
        guard let first = name.first, "fvx".utf8.contains(first) else { return false }
        return name.starts(with: "x-forwarded-".utf8)
            || ["forwarded", "via", "x-real-ip"].contains { name.elementsEqual($0.utf8) }
    }
}

extension String {
    /// What a text that may be an address is counted by: the address's network, or the text itself.
    var network: [UInt8] { InternetAddress(self).map(\.network.bytes) ?? Array(utf8) }
}
