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
}
