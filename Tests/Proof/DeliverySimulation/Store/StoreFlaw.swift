/// A fault of the store, injected on purpose.
enum StoreFlaw: Sendable {
    /// A row vanishes from the outbox when its turn ends.
    case losesRow
    /// A message is stored but not counted as unread.
    case miscounts
    /// A conversation skips a number.
    case skipsSequence
    /// A replay is stored as if it were new.
    case countsReplay
    /// The unread messages of a merged consumer are not added to the other's.
    case mergesUncounted
    /// A start leaves rows that were held for windows of the previous process.
    case strandsHeld
    /// Rows that a window no longer holds are treated as acknowledged.
    case suppressesReleased
    /// A read makes no badges.
    case losesBadges
    /// Devices are handed out in the order of their ids, however long they wait.
    case favoursDevices
    /// Older rows with the same collapse key stay.
    case keepsCollapsed
    /// An erasure leaves registrations as they are.
    case keepsErased
    /// An erasure and the end of a deleted app's registration end another consumer's too.
    case endsOthers
    /// Sightings of devices are ignored after their registration.
    case forgetsSightings
    /// A device registers on the first lane of its name, although that was deleted.
    case findsOldLane
    /// A row of another brand is removed with those of a deleted one.
    case removesOthers
    /// No message of a conversation is found by its sequence.
    case miscountsReads
    /// No rows of a conversation's messages are found.
    case keepsRead
    /// All rows of a conversation's messages are said to be held for a window.
    case suppressesRead
    /// A row whose attempt failed is said not to be in the outbox.
    case losesRetries
}
