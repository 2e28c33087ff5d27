import Dispatch
import GatewayStorage

/// A connection on a queue of its own, so that any thread may call.
final class ConnectionQueue: @unchecked Sendable {
    private let queue: DispatchQueue
    private let open: @Sendable () throws -> Connection
    // Guarded by the queue.
    private var connection: Connection?
    private var isClosed = false

    /// Creates a queue that opens its connection when it is first used.
    init(label: String, open: @escaping @Sendable () throws -> Connection) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        self.open = open
    }

    /// Runs on the queue, for which the calling thread waits; throws `StorageError.closed`, and what the connection throws
    /// when it opens.
    func wait<Value>(_ work: (Connection) throws -> Value) throws -> Value {
        try queue.sync { try work(try opened()) }
    }

    /// Runs on the queue, later; the errors are those of ``wait(_:)``.
    func submit(_ work: @escaping @Sendable (Result<Connection, any Error>) -> Void) {
        queue.async { work(Result { try self.opened() }) }
    }

    /// Closes the connection, after the work that was submitted before.
    func close() {
        queue.sync {
            isClosed = true
            connection = nil
        }
    }

    private func opened() throws -> Connection {
        if let connection { return connection }
        guard !isClosed else { throw StorageError.closed }
        let connection = try open()
        self.connection = connection
        return connection
    }
}
