import HTTP2Connections

/// Makes one state of what a pool says of its connections, of which one may be ending while the next is in use.
struct ConnectionWatch {
    /// What matters to a lane.
    enum State: Equatable {
        case idle
        case connecting
        case ready
        case failed(HTTP2ConnectionFailure)
    }

    private(set) var state = State.idle
    private(set) var facts: HTTP2ConnectionFacts?
    /// Connections that take no more requests and whose end is still to come.
    private var draining = 0

    mutating func changed(_ change: HTTP2ConnectionState) {
        switch change {
        case .connecting: state = .connecting
        case .ready(let facts):
            state = .ready
            self.facts = facts
        case .draining:
            draining += 1
            if state == .ready { state = .idle }
        case .failed(let failure): end(.failed(failure))
        case .closed: end(.idle)
        }
    }

    /// The end of a connection that was draining says nothing about the one in use.
    private mutating func end(_ state: State) {
        if draining > 0 {
            draining -= 1
        } else {
            self.state = state
        }
    }
}
