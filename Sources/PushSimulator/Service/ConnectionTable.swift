internal import HTTP2Connections
internal import Synchronization

/// The open connections of one port, with their counts.
///
/// Any thread.
final class ConnectionTable: Sendable {
    private let core: SimulatorCore
    private let provider: SimulatedProvider
    private let records = Mutex<[UInt64: ConnectionRecord]>([:])

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - core: The owner of the counts.
    ///   - provider: The provider of the port.
    init(core: SimulatorCore, provider: SimulatedProvider) {
        self.core = core
        self.provider = provider
    }

    /// Adds a connection that finished TLS.
    func open(_ connection: HTTP2ServerConnection) {
        let record = ConnectionRecord(number: self.core.nextConnectionNumber())
        self.records.withLock { $0[connection.id] = record }
        self.core.count { counts in
            counts.connections[self.provider, default: .init()].opened += 1
            counts.connections[self.provider, default: .init()].open += 1
        }
    }

    /// Removes a connection.
    func close(_ connection: HTTP2ServerConnection) {
        guard self.records.withLock({ $0.removeValue(forKey: connection.id) }) != nil else { return }
        self.core.count { $0.connections[self.provider, default: .init()].open -= 1 }
    }

    /// Returns the record of a connection; nil when it is closed.
    func record(of connection: HTTP2ServerConnection) -> ConnectionRecord? {
        self.records.withLock { $0[connection.id] }
    }
}
