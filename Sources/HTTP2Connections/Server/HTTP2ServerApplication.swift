/// The request handler of a server.
///
/// Called on the connection's event loop; must not block it.
package protocol HTTP2ServerApplication: AnyObject, Sendable {
    /// Receives a connection after its TLS handshake.
    func connectionOpened(_ connection: HTTP2ServerConnection, facts: HTTP2ServerConnectionFacts)

    /// Receives complete requests, one batch per read burst. The response to each may follow now, later from any
    /// thread, or never.
    func receive(_ requests: [HTTP2ServerRequest], on connection: HTTP2ServerConnection)

    /// Receives the end of a connection; no response can be sent on it any more.
    func connectionClosed(_ connection: HTTP2ServerConnection)
}

extension HTTP2ServerApplication {
    /// Does nothing.
    package func connectionOpened(_ connection: HTTP2ServerConnection, facts: HTTP2ServerConnectionFacts) {}

    /// Does nothing.
    package func connectionClosed(_ connection: HTTP2ServerConnection) {}
}

/// The properties of a client connection after TLS.
///
/// Any thread.
package struct HTTP2ServerConnectionFacts: Sendable {
    /// Whether TLS resumed an earlier session.
    package var isResumed: Bool
    /// The client's own certificate as DER, if it sent one.
    package var clientCertificate: [UInt8]?
}
