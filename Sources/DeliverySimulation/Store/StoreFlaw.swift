/// A fault of the store, built in on purpose.
enum StoreFlaw: Sendable {
    /// A row vanishes from the outbox when its turn ends.
    case losesRow
    /// A message is stored but not counted as unread.
    case miscounts
    /// A conversation skips a number.
    case skipsSequence
    /// A replay is stored as if it were new.
    case countsReplay
    /// What a consumer that is merged has unread is not the other's.
    case mergesUncounted
    /// A start leaves what was held for windows of the process before.
    case strandsHeld
    /// What a window no longer holds is taken for acknowledged.
    case suppressesReleased
    /// A read makes no badges.
    case losesBadges
    /// Devices are handed out in the order of their numbers, however long they wait.
    case favoursDevices
    /// Older rows with the same collapse key stay.
    case keepsCollapsed
    /// An erasure leaves registrations as they are.
    case keepsErased
    /// An erasure and the end of a deleted app's registration end a stranger's too.
    case endsOthers
    /// Devices are never heard of once they are registered.
    case forgetsSightings
    /// A device registers over the first lane of its name, though that was deleted.
    case findsOldLane
    /// What is removed of a deleted brand has a row of another with it.
    case removesOthers
}
