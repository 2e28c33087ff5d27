import GatewayModel

/// A delivery as it is followed from outside.
struct Tracked: Sendable {
    /// Where the machine should have it.
    enum Place: Sendable {
        /// Nowhere: it waits in the store, or is finished.
        case stored
        /// In a commit that handed it out and is not answered yet.
        case arriving
        /// In memory, unsent.
        case waiting
        /// On its way.
        case inFlight
        /// In an outcome that ends it.
        case ended
        /// In an outcome that gives it back.
        case givenBack
        /// Its outcome could not be stored: owned by nobody's memory until the next start.
        case dropped
    }

    var place = Place.stored
    /// How often its device got it.
    var receipts = 0
    /// How often it may have got it.
    var allowed = 1
    /// The summary that last left for it; 0 when none did.
    var toldBy: Int64 = 0
    /// Its provider asked not to be sent it before then.
    var notBefore: Timestamp?
    /// The process that runs knows that the provider took it.
    var isTaken = false
    /// The machine was told that it ended.
    var isGone = false
    /// The newest delivery when it was tried again for an operator: those that were in memory then leave before it.
    var triedAgainAfter: Int64 = 0
    /// When it came into memory last.
    var arrivedAt = Timestamp(milliseconds: 0)
    /// The class of its queue.
    var pushClass: PushClass
    /// The place of its message among those that were accepted; nil for one without.
    var message: Int?
    var lane: Int
    var registration: Int64
}
