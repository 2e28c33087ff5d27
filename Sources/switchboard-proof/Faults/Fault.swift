import NIOCore
import PushProviders
import PushSimulator

/// One way in which a provider can go wrong while pushes are sent to it.
struct Fault: Sendable {
    /// Who is sent to.
    enum Peer: Sendable {
        /// The simulator.
        case simulator(SimulatorConfiguration, rules: [SimulatorRule])
        /// Node's own HTTP/2 server, which shares no code with ours.
        case node(NodeServer.Mode)
    }

    /// What must become of the pushes.
    enum Expectation: Sendable, Equatable {
        /// All arrive, none twice: what was not processed is provable.
        case once
        /// All arrive; only what was in doubt may come twice.
        case atLeastOnce
        /// None may leave: the peer is not to be trusted. The provider's state must hold this text.
        case refused(String)
    }

    /// How it is named on the command line.
    var name: String
    /// What happens, for the table.
    var title: String
    var peer: Peer
    var expectation: Expectation
    /// How long a push may take; short where the peer makes pushes wait for that.
    var requestTimeout = TimeAmount.seconds(15)
    /// After how long without a sign of life the peer is asked for one.
    var pingInterval = TimeAmount.seconds(30)
}
