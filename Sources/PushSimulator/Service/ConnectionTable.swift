internal import HTTP2Connections
internal import Synchronization

/// The open connections of one port, and their share of the counts.
///
/// Any thread.
final class ConnectionTable: Sendable {
    private let core: SimulatorCore
    private let provider: SimulatedProvider
    private let records = Mutex<[UInt64: ConnectionRecord]>([:])

    /// Starts with none.
    ///
    /// - Parameters:
    ///   - core: Keeps the counts.
    ///   - provider: Whose port it is.
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

    /// Takes a connection out.
    func close(_ connection: HTTP2ServerConnection) {
        guard self.records.withLock({ $0.removeValue(forKey: connection.id) }) != nil else { return }
        self.core.count { $0.connections[self.provider, default: .init()].open -= 1 }
    }

    /// What is remembered of a connection; nil when it is gone.
    func record(of connection: HTTP2ServerConnection) -> ConnectionRecord? {
        self.records.withLock { $0[connection.id] }
    }
}
