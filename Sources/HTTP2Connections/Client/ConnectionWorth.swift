/// What a connection was good for, which says how soon the next one is dialled.
enum ConnectionWorth: Equatable {
    /// It brought an answer that says that the peer serves us.
    case served
    /// The peer was there, and refused it or what it brought.
    case refused
    /// The peer was not there: nothing came back from it in time, or it cannot be reached.
    case silent
}
