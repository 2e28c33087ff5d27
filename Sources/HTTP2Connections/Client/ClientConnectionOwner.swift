/// What a connection needs of its pool.
///
/// All on the event loop.
protocol ClientConnectionOwner: AnyObject {
    /// Fills in requests, if the source has any.
    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request])
    /// The connection's streams or its send window are used up, or, with nil, are not any more.
    func connectionHeldBack(_ id: UInt64, _ reason: HTTP2HoldBack?)
    /// The peer took streams of the connection away, or, with false, allows as many again as it ever did.
    func connectionLimitCut(_ id: UInt64, _ isCut: Bool)
    func receive(_ responses: [HTTP2Response])
    func openStreamsChanged(by difference: Int)
    /// The connection is old, and goes on until the pool retires it.
    func connectionAged(_ id: UInt64)
    func connectionReady(_ id: UInt64, facts: HTTP2ConnectionFacts)
    func connectionDraining(_ id: UInt64, reason: HTTP2DrainReason, worth: ConnectionWorth)
    /// The last call for a connection.
    func connectionEnded(_ id: UInt64, failure: HTTP2ConnectionFailure?, worth: ConnectionWorth)
    /// The peer gave sessions that the next connections may resume.
    func keep(_ resumptions: [TLSResumption])
}
