import GatewayModel

/// What the writer knows of the store and of the machine that it runs on, in one process.
struct Standing: Sendable {
    /// When the store failed last; nil when it has answered since.
    var failedAt: Timestamp?
    /// A read found damage.
    var isDamaged = false
    /// The disk is nearly full.
    var lacksRoom = false
    /// The process was asked to stop.
    var isStopping = false
    /// The machine gave back what waited, and sends nothing more.
    var isDraining = false
}
