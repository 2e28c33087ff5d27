/// Addresses with a common prefix: `10.0.0.0/8`, `::1` (RFC 4632 section 3.1, RFC 4291 section 2.3).
package struct AddressRange: Sendable, Equatable {
    private let first: InternetAddress
    private let prefixLength: Int

    /// Parses an address, or an address, a slash and the length of the prefix in bits; nil when the text is invalid.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let name = parts.first, let first = InternetAddress(String(name))?.unmapped else {
            return nil
        }
        let bits = first.isV6 ? 128 : 32
        guard let length = parts.count == 2 ? Int(parts[1]) : bits, (0...bits).contains(length) else { return nil }
        self.first = first
        prefixLength = length
    }

    /// The loopback addresses of this host.
    package static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// Whether an address is in the range; an IPv4 address that is written as an IPv6 one counts as IPv4.
    package func contains(_ address: InternetAddress) -> Bool {
        switch (first, address.unmapped) {
        case (.v4(let first), .v4(let other)): (first ^ other) & ~0 << UInt32(32 - prefixLength) == 0
        case (.v6(let high, let low), .v6(let otherHigh, let otherLow)):
            // A shift by all bits or more results in 0.
            (high ^ otherHigh) & ~0 << UInt64(max(64 - prefixLength, 0)) == 0
                && (low ^ otherLow) & ~0 << UInt64(min(128 - prefixLength, 64)) == 0
        default: false
        }
    }
}
