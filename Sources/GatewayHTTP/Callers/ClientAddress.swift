internal import GuardedHTTP
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Where a request comes from.
enum ClientAddress: Equatable {
    /// This machine, and no proxy speaks for anybody else.
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
    ///   - proxies: The proxies that are trusted.
    init(peer: String?, forwarded: [String], proxies: [AddressRange]) {
        guard let peer else {
            self = .unknown
            return
        }
        let isLocal = AddressRange.loopback.contains { $0.contains(peer) }
        self = isLocal ? .local : .remote(peer)
        guard proxies.contains(where: { $0.contains(peer) }) else { return }
        let hops = forwarded.flatMap { $0.byteSplit(",") }.map { String($0.trimmingBlanks) }
        guard let first = hops.first else { return }
        self = .remote(hops.last { hop in !proxies.contains { $0.contains(hop) } } ?? first)
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
