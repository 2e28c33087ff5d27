import HTTP2Connections

/// Combines the states of a pool's connections into one state; some may be ending or starting while others are in use.
struct CombinedConnectionState {
    /// The combined state, as a lane needs it.
    enum State: Equatable {
        case idle
        case connecting
        /// At least one connection takes requests.
        case ready
        case failed(HTTP2ConnectionFailure)
    }

    /// The connections that take requests, and those being opened.
    private var ready: Set<UInt64> = []
    private var connecting: Set<UInt64> = []
    /// The state while there are neither.
    private var last = State.idle

    var state: State {
        if !ready.isEmpty { return .ready }
        return connecting.isEmpty ? last : .connecting
    }

    mutating func changed(_ connection: UInt64, _ change: HTTP2ConnectionState) {
        switch change {
        case .connecting:
            connecting.insert(connection)
        case .ready:
            connecting.remove(connection)
            ready.insert(connection)
        case .draining:
            end(connection, .idle)
        case .failed(let failure):
            end(connection, .failed(failure))
        case .closed:
            end(connection, .idle)
        }
    }

    /// Removes a connection.
    ///
    /// The end of a draining one does not change the combined state.
    private mutating func end(_ connection: UInt64, _ state: State) {
        let wasReady = ready.remove(connection) != nil
        let wasConnecting = connecting.remove(connection) != nil
        if wasReady || wasConnecting { last = state }
    }
}
