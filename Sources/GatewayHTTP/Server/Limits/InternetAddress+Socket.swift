internal import GuardedHTTP
internal import NIOCore

extension InternetAddress {
    /// Creates the address of a connection's end; nil for one without, such as a Unix socket's.
    ///
    /// Read from the bytes of the structure (ip(7), ipv6(7)), because it is needed for each request: the text form
    /// would cost more than its use.
    ///
    /// - Parameter end: The socket address.
    init?(_ end: SocketAddress?) {
        switch end {
        case .v4(let end):
            // After the family and the port.
            let address = withUnsafeBytes(of: end.address) { $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self) }
            self = .v4(UInt32(bigEndian: address))
        case .v6(let end):
            // After the family, the port and the flow.
            self = withUnsafeBytes(of: end.address) { .v6(bytes: UnsafeRawBufferPointer(rebasing: $0[8..<24])) }
        case .unixDomainSocket, nil: return nil
        }
    }
}
