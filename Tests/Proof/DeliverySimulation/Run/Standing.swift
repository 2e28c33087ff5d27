import GatewayModel

/// The state of the store and the host as the writer knows it, in one process.
struct Standing: Sendable {
    /// The time at which the store last failed; nil when it has worked since.
    var failedAt: Timestamp?
    /// Whether a read found damage.
    var isDamaged = false
    /// Whether the disk is nearly full.
    var lacksRoom = false
    /// Whether the process was asked to stop.
    var isStopping = false
    /// Whether the state machine has requeued what waited, and sends nothing more.
    var isDraining = false
}
