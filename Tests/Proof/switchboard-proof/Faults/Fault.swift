import NIOCore
import PushProviders
import PushSimulator

/// A fault of a provider while pushes are sent to it.
struct Fault: Sendable {
    /// The peer that pushes are sent to.
    enum Peer: Sendable {
        /// The push simulator.
        case simulator(SimulatorConfiguration, rules: [SimulatorRule])
        /// Node's own HTTP/2 server, which shares no code with ours.
        case node(NodeServer.Mode)
    }

    /// The required result of the pushes.
    enum Expectation: Sendable, Equatable {
        /// All arrive, none twice: HTTP/2 proves which ones were not processed.
        case once
        /// All arrive; only those in doubt may arrive twice.
        case atLeastOnce
        /// None may leave: the peer must not be trusted. The provider's state must contain this text.
        case refused(String)
    }

    /// Its name on the command line.
    var name: String
    /// Its description in the table.
    var title: String
    var peer: Peer
    var expectation: Expectation
    /// The timeout of a push; short where the peer makes pushes wait for it.
    var requestTimeout = TimeAmount.seconds(15)
    /// The time without any frame of the peer after which it gets a PING.
    var pingInterval = TimeAmount.seconds(30)
}
