internal import GuardedHTTP

/// Addresses that share a prefix: `10.0.0.0/8`, `::1` (RFC 4632 section 3.1, RFC 4291 section 2.3).
package struct AddressRange: Sendable, Equatable {
    private let bytes: [UInt8]
    private let prefixLength: Int

    /// Reads a range; nil for what is none.
    ///
    /// - Parameter text: An address, or an address, a slash and the length of the prefix in bits.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let bytes = InternetAddress(String(first))?.unmapped.bytes
        else { return nil }
        self.bytes = bytes
        guard parts.count == 2 else {
            prefixLength = bytes.count * 8
            return
        }
        guard let length = Int(parts[1]), (0...bytes.count * 8).contains(length) else { return nil }
        prefixLength = length
    }

    /// This machine.
    package static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// Whether an address lies within it; an IPv4 address that is written as an IPv6 one counts as what it is.
    ///
    /// - Parameter address: The address.
    /// - Returns: False also for what is no address.
    package func contains(_ address: String) -> Bool {
        guard let other = InternetAddress(address)?.unmapped.bytes, other.count == bytes.count else { return false }
        for bit in stride(from: 0, to: prefixLength, by: 8) {
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, prefixLength - bit))
            guard bytes[bit / 8] & mask == other[bit / 8] & mask else { return false }
        }
        return true
    }
}
