internal import CoreMetrics
internal import GuardedHTTP
internal import Synchronization
internal import Telemetry

/// Counts the connections of one server, in total and by address; usable from any thread.
final class ConnectionSlots: Sendable {
    /// The decision about a new connection.
    enum Admission: Equatable {
        /// It is served.
        case served
        /// It exceeds a limit: it gets one response and is closed.
        case surplus(RejectionLabel)
        /// It far exceeds a limit: it is closed at once.
        case refused(RejectionLabel)

        /// The limit that it exceeds.
        var label: RejectionLabel? {
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

    /// Counts a new connection; each must be released with ``close(_:)``.
    ///
    /// - Parameter address: The share of its remote address; nil when it has none.
    /// - Returns: The decision about the connection.
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

    /// Releases a closed connection.
    ///
    /// - Parameter address: The share with which it was counted.
    func close(_ address: AddressShare?) {
        metrics.connectionsOpen.decrement()
        state.withLock { state in
            state.open -= 1
            if let address { state.addresses.release(of: address.network) }
        }
    }
}
