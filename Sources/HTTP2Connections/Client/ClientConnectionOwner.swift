internal import TLS
/// The pool, as a connection calls it.
///
/// All calls are on the event loop.
protocol ClientConnectionOwner: AnyObject {
    /// Appends requests, if the source has any.
    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request])
    /// Reports that the connection's streams or send window are used up; with nil, that they no longer are.
    func connectionHeldBack(_ id: UInt64, _ reason: HTTP2HoldBack?)
    /// Reports that the peer lowered the connection's stream limit; with false, that the limit is back at its highest
    /// value.
    func connectionLimitCut(_ id: UInt64, _ isCut: Bool)
    func receive(_ responses: [HTTP2Response])
    func openStreamsChanged(by difference: Int)
    /// Reports that the connection reached its age limit; it stays in use until the pool retires it.
    func connectionAged(_ id: UInt64)
    func connectionReady(_ id: UInt64, facts: HTTP2ConnectionFacts)
    func connectionDraining(_ id: UInt64, reason: HTTP2DrainReason, worth: ConnectionWorth)
    /// Reports the end of a connection; the last call for it.
    func connectionEnded(_ id: UInt64, failure: HTTP2ConnectionFailure?, worth: ConnectionWorth)
    /// Stores TLS sessions that the next connections may resume.
    func keep(_ resumptions: [TLSResumption])
}
