/// The result of a connection, which decides how soon the next one is dialled.
enum ConnectionWorth: Equatable {
    /// It had a response that shows that the peer serves us.
    case served
    /// The peer was reachable, but rejected the connection or its requests.
    case refused
    /// The peer was unreachable, or sent nothing in time.
    case silent
}
