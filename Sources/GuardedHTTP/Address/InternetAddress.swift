#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An IP address as its bytes.
package enum InternetAddress: Hashable, Sendable, CustomStringConvertible {
    /// IPv4, in the host's order.
    case v4(UInt32)
    /// IPv6, in two halves.
    case v6(high: UInt64, low: UInt64)

    /// Reads the one canonical form of IPv4 (four decimal numbers), or any form of IPv6 without a zone.
    ///
    /// - Parameter text: An address without brackets.
    package init?(_ text: String) {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self.init(six)
    }

    init(_ address: in6_addr) {
        var address = address
        let bytes = withUnsafeBytes(of: &address) { Array($0) }
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self = .v6(high: half(bytes[..<8]), low: half(bytes[8...]))
    }

    /// The IPv4 address that an IPv6 address writes (`::ffff:a.b.c.d`, RFC 4291 section 2.5.5.2); else the address itself.
    package var unmapped: InternetAddress {
        guard case .v6(0, let low) = self, low >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: low))
    }

    /// Its bytes in the network's order: 4 or 16.
    package var bytes: [UInt8] {
        switch self {
        case .v4(let value): withUnsafeBytes(of: value.bigEndian) { Array($0) }
        case .v6(let high, let low):
            withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
        }
    }

    /// The address as a URL's host or `getaddrinfo` takes it, without brackets.
    package var description: String {
        switch self {
        case .v4(let value):
            "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
        case .v6(let high, let low):
            [high, low].flatMap { half in [48, 32, 16, 0].map { String(half >> UInt64($0) & 0xFFFF, radix: 16) } }
                .joined(separator: ":")
        }
    }

    /// Whether it is IPv6, which a URL puts in brackets.
    package var isV6: Bool { if case .v6 = self { true } else { false } }
}
