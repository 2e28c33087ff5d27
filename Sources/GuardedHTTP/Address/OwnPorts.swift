internal import NIOCore
internal import Synchronization

/// The ports that the gateway listens on; no URL of a tenant may reach them by any address of this host.
///
/// Thread-safe.
package final class OwnPorts: Sendable {
    private let ports = Mutex(Set<UInt16>())
    private let interfaces: @Sendable () -> Set<InternetAddress>?

    /// Creates a set without ports that detects this host by the addresses of its network interfaces.
    package convenience init() { self.init(interfaces: Self.system) }

    /// Creates a set without ports; `interfaces` returns the current addresses of this host, or nil when they cannot be
    /// read.
    init(interfaces: @escaping @Sendable () -> Set<InternetAddress>?) { self.interfaces = interfaces }

    /// Adds a port that the gateway listens on or will listen on; 0, for one that the system chooses, is ignored.
    package func add(_ port: Int) {
        guard let port = UInt16(exactly: port), port > 0 else { return }
        _ = ports.withLock { $0.insert(port) }
    }

    /// Returns whether a connection to an address and port could reach the gateway.
    func contains(_ port: UInt16, at address: InternetAddress) -> Bool {
        guard ports.withLock({ $0.contains(port) }) else { return false }
        guard AddressKind(address) != .loopback else { return true }
        // Read only for a port of the gateway, which is rare: addresses change while the gateway runs.
        guard let interfaces = interfaces() else { return true }
        return interfaces.contains(address.unmapped)
    }

    private static func system() -> Set<InternetAddress>? {
        guard let devices = try? System.enumerateDevices() else { return nil }
        return Set(devices.compactMap { $0.address?.ipAddress.flatMap { InternetAddress($0)?.unmapped } })
    }
}
