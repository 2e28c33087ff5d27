internal import GuardedHTTP

/// The address for which a caller's resources are counted.
struct AddressShare: Hashable, Sendable {
    /// The caller's network: an IPv4 address, or the first 64 bits of an IPv6 one.
    let network: InternetAddress
    /// Whether it is a proxy that does not name its clients: they all count as one address, with half of its share.
    let isUnnamedProxy: Bool

    init(_ address: InternetAddress, isUnnamedProxy: Bool = false) {
        network = address.network
        self.isUnnamedProxy = isUnnamedProxy
    }

    /// Returns the limit of this address, where one address may hold `limit`.
    func part(of limit: Int) -> Int { isUnnamedProxy ? max(limit / 2, 1) : limit }
}

extension InternetAddress {
    /// The part of an address that is counted: all of an IPv4 address, the first 64 bits of an IPv6 one, because one
    /// site has all the rest (RFC 4291 section 2.5.4, RFC 6177).
    var network: InternetAddress {
        guard case .v6(let high, _) = unmapped else { return unmapped }
        return .v6(high: high, low: 0)
    }
}
