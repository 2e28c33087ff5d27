import DequeModule
import GatewayStorage
import Synchronization

/// The connections that read while another one writes, each from a snapshot of its own; any task may call.
final class Readers: Sendable {
    /// The number of connections, each of which is opened when it is needed.
    static let maxCount = 3

    private typealias Read = @Sendable (Result<Connection, any Error>) -> Void

    private struct State {
        var all: [ConnectionQueue] = []
        var idle: [ConnectionQueue] = []
        /// The reads that wait for a connection: no more than there are callers, each of which waits for its own.
        var waiting = Deque<Read>()
        var isClosed = false
    }

    private let open: @Sendable () throws -> Connection
    private let state = Mutex(State())

    init(open: @escaping @Sendable () throws -> Connection) { self.open = open }

    /// Runs on a connection that is free, in a snapshot.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (ReadConnection) throws -> Value
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            start { connection in
                continuation.resume(
                    returning: Result { try connection.get().snapshot { try work(ReadConnection($0)) } }
                )
            }
        }
    }

    /// Closes the connections, after the reads that run; what is read afterwards throws `StorageError.closed`.
    func close() {
        let all = state.withLock { state in
            state.isClosed = true
            return state.all
        }
        for reader in all { reader.close() }
    }

    private func start(_ read: @escaping Read) {
        let free = state.withLock { state -> Result<ConnectionQueue, StorageError>? in
            guard !state.isClosed else { return .failure(.closed) }
            if let reader = state.idle.popLast() { return .success(reader) }
            guard state.all.count < Self.maxCount else {
                state.waiting.append(read)
                return nil
            }
            let reader = ConnectionQueue(label: "switchboard.sqlite.reader", open: open)
            state.all.append(reader)
            return .success(reader)
        }
        switch free {
        case .success(let reader)?: run(read, on: reader)
        case .failure(let error)?: read(.failure(error))
        case nil: break
        }
    }

    private func run(_ read: @escaping Read, on reader: ConnectionQueue) {
        reader.submit { connection in
            read(connection)
            let next = self.state.withLock { state -> Read? in
                if let next = state.waiting.popFirst() { return next }
                state.idle.append(reader)
                return nil
            }
            if let next { self.run(next, on: reader) }
        }
    }
}
