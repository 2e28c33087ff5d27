#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An IP address as its bytes.
package enum InternetAddress: Hashable, Sendable, CustomStringConvertible {
    /// IPv4, in host byte order.
    case v4(UInt32)
    /// IPv6, in two halves.
    case v6(high: UInt64, low: UInt64)

    /// Parses the canonical form of IPv4 (four decimal numbers), or any form of IPv6 without a zone.
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

    init(_ address: in6_addr) { self = withUnsafeBytes(of: address) { Self.v6(bytes: $0) } }

    /// Returns the IPv6 address with the first 16 of at least 16 bytes in network byte order.
    package static func v6(bytes: UnsafeRawBufferPointer) -> InternetAddress {
        .v6(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }

    /// The IPv4 address in an IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291 section 2.5.5.2); else the address
    /// itself.
    package var unmapped: InternetAddress {
        guard case .v6(0, let low) = self, low >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: low))
    }

    /// The address in the form for a URL's host or `getaddrinfo`, without brackets; IPv6 in its short form (RFC 5952).
    package var description: String {
        switch self {
        case .v4(let value):
            "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
        case .v6(let high, let low):
            String(unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { text in
                withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
                    text.withMemoryRebound(to: CChar.self) { text in
                        _ = inet_ntop(AF_INET6, bytes.baseAddress, text.baseAddress, socklen_t(text.count))
                    }
                }
                return text.firstIndex(of: 0) ?? 0
            }
        }
    }

    /// Whether it is IPv6, which a URL puts in brackets.
    package var isV6: Bool { if case .v6 = self { true } else { false } }
}
