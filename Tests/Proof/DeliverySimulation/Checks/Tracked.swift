import GatewayModel

/// A delivery as the checker follows it.
struct Tracked: Sendable {
    /// The place where the state machine should have it.
    enum Place: Sendable {
        /// Nowhere: it waits in the store, or is finished.
        case stored
        /// In a commit that handed it out, whose result is not delivered yet.
        case arriving
        /// In memory, unsent.
        case waiting
        /// In flight.
        case inFlight
        /// In an outcome that ends it.
        case ended
        /// In an outcome that requeues it.
        case requeued
        /// Its outcome could not be stored: owned, but not in memory, until the next start.
        case dropped
    }

    var place = Place.stored
    /// The number of times that its device received it.
    var receipts = 0
    /// The number of times that it may have received it.
    var allowed = 1
    /// The summary that last stood for it; 0 when none did.
    var summarizedBy: Int64 = 0
    /// The time that its provider asked to wait for.
    var notBefore: Timestamp?
    /// Whether the running process knows that the provider accepted it.
    var isTaken = false
    /// Whether the state machine was notified that it ended.
    var isGone = false
    /// The newest delivery when an operator retried it: those that were in memory then leave before it.
    var triedAgainAfter: Int64 = 0
    /// The older rows of its device that a window held when it last came into memory, if an operator had retried it: it
    /// leaves before them, even if the window releases them meanwhile.
    var overtaken: Set<Int64> = []
    /// The time at which it last came into memory.
    var arrivedAt = Timestamp(milliseconds: 0)
    /// Whether its device was imported and no push to it was accepted, as of the commit that last handed it out.
    var isImported = false
    /// The class of its queue.
    var pushClass: PushClass
    /// The index of its message among the accepted ones; nil for a delivery without.
    var message: Int?
    var lane: Int
    var registration: Int64
}
