/// The kind of an address (IANA's special-purpose registries of IPv4 and IPv6).
package enum AddressKind: Equatable, Sendable {
    /// A public address.
    case global
    /// This host.
    case loopback
    /// A private network: RFC 1918, RFC 6598 (carriers), RFC 4193.
    case privateNetwork
    /// An address that no tenant can mean, for example the metadata service of a cloud (169.254.169.254).
    case special

    /// Determines the kind of an address.
    ///
    /// An IPv6 address that embeds an IPv4 address (mapped, NAT64, 6to4) has the kind of that address.
    package init(_ address: InternetAddress) {
        switch address {
        case .v4(let value): self = Self.v4(value)
        case .v6(let high, let low): self = Self.v6(high, low)
        }
    }

    private static func v4(_ value: UInt32) -> AddressKind {
        func isIn(_ network: UInt32, _ bits: UInt32) -> Bool { (value ^ network) >> (32 - bits) == 0 }
        // 127.0.0.0/8
        if isIn(0x7F00_0000, 8) { return .loopback }
        // 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10
        if isIn(0x0A00_0000, 8) || isIn(0xAC10_0000, 12) || isIn(0xC0A8_0000, 16) || isIn(0x6440_0000, 10) {
            return .privateNetwork
        }
        // 0.0.0.0/8, 169.254.0.0/16; 192.0.0.0/24, 192.0.2.0/24, 192.88.99.0/24; 198.18.0.0/15, 198.51.100.0/24,
        // 203.0.113.0/24; 224.0.0.0/3 (multicast, reserved, broadcast)
        let isSpecial =
            isIn(0, 8) || isIn(0xA9FE_0000, 16) || isIn(0xC000_0000, 24) || isIn(0xC000_0200, 24)
            || isIn(0xC058_6300, 24) || isIn(0xC612_0000, 15) || isIn(0xC633_6400, 24) || isIn(0xCB00_7100, 24)
            || isIn(0xE000_0000, 3)
        return isSpecial ? .special : .global
    }

    private static func v6(_ high: UInt64, _ low: UInt64) -> AddressKind {
        let first = UInt16(truncatingIfNeeded: high >> 48)
        if high == 0, low == 1 { return .loopback }
        // ::ffff:a.b.c.d and 64:ff9b::a.b.c.d (RFC 6052).
        if high == 0, low >> 32 == 0xFFFF { return v4(UInt32(truncatingIfNeeded: low)) }
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return v4(UInt32(truncatingIfNeeded: low)) }
        // 64:ff9b:1::/48 (RFC 8215): local-use translation.
        if high >> 16 == 0x0064_FF9B_0001 { return .privateNetwork }
        // 2002:aabb:ccdd:: (RFC 3056).
        if first == 0x2002 { return v4(UInt32(truncatingIfNeeded: high >> 16)) }
        if first & 0xFE00 == 0xFC00 { return .privateNetwork }
        // 2001::/23 (protocols, Teredo), 2001:db8::/32 and 3fff::/20 (documentation).
        let isSpecial = high >> 41 == 0x2001_0000 >> 9 || high >> 32 == 0x2001_0DB8 || high >> 44 == 0x3FFF0
        // Only 2000::/3 is allocated as global: ::a.b.c.d, fe80::/10, fec0::/10, ff00::/8 and so on are not.
        return isSpecial || first >> 13 != 1 ? .special : .global
    }
}
