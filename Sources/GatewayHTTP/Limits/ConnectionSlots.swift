internal import CoreMetrics
internal import GuardedHTTP
internal import Synchronization
internal import Telemetry

/// Counts the connections of one server and of each address; any thread.
final class ConnectionSlots: Sendable {
    /// What becomes of a new connection.
    enum Admission: Equatable {
        /// It is served.
        case served
        /// It is one too many, by a limit: one answer, then closed.
        case surplus(RefusalLabel)
        /// It is far too many, by a limit: closed at once.
        case refused(RefusalLabel)

        /// The limit that it is beyond.
        var label: RefusalLabel? {
            switch self {
            case .served: nil
            case .surplus(let label), .refused(let label): label
            }
        }
    }

    private struct State {
        var open = 0
        var addresses = Shares<InternetAddress>()
    }

    private let state = Mutex(State())
    private let limit: Int
    private let addressLimit: Int
    private let metrics: HTTPMetrics

    init(_ limits: ServerLimits, metrics: HTTPMetrics) {
        limit = limits.maxConnections
        addressLimit = limits.connectionsPerAddress
        self.metrics = metrics
    }

    /// Counts a new connection; each must be given back by ``close(_:)``.
    ///
    /// - Parameter address: The share of its other end; nil for one without.
    /// - Returns: What becomes of it.
    func take(_ address: AddressShare?) -> Admission {
        metrics.connectionsOpen.increment()
        let (all, ofAddress) = state.withLock { state in
            state.open += 1
            guard let address else { return (state.open, 0) }
            state.addresses.take(of: address.network)
            return (state.open, state.addresses[address.network])
        }
        if all > limit + ServerLimits.surplusConnections { return .refused(.connections) }
        if ofAddress > addressLimit + ServerLimits.addressSurplusConnections { return .refused(.addressConnections) }
        if all > limit { return .surplus(.connections) }
        return ofAddress > addressLimit ? .surplus(.addressConnections) : .served
    }

    /// A connection is closed.
    ///
    /// - Parameter address: What it was taken with.
    func close(_ address: AddressShare?) {
        metrics.connectionsOpen.decrement()
        state.withLock { state in
            state.open -= 1
            if let address { state.addresses.giveBack(of: address.network) }
        }
    }
}
