import HTTP2Connections

/// Makes one state of what a pool says of its connections, of which some may be ending and some beginning while others are
/// in use.
struct ConnectionWatch {
    /// What matters to a lane.
    enum State: Equatable {
        case idle
        case connecting
        /// At least one takes requests.
        case ready
        case failed(HTTP2ConnectionFailure)
    }

    /// Those that take requests, and the others that will.
    private var ready: Set<UInt64> = []
    private var connecting: Set<UInt64> = []
    /// What there is to say when there is neither.
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

    /// The end of a connection that was draining says nothing about those in use.
    private mutating func end(_ connection: UInt64, _ state: State) {
        let wasReady = ready.remove(connection) != nil
        let wasConnecting = connecting.remove(connection) != nil
        if wasReady || wasConnecting { last = state }
    }
}
