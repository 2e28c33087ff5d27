/// What answers a server's requests.
///
/// Called on the connection's event loop; must not block it.
package protocol HTTP2ServerApplication: AnyObject, Sendable {
    /// A client finished TLS.
    func connectionOpened(_ connection: HTTP2ServerConnection, facts: HTTP2ServerConnectionFacts)

    /// Takes complete requests, one batch per read burst. Each may be answered now, later from any thread, or never.
    func receive(_ requests: [HTTP2ServerRequest], on connection: HTTP2ServerConnection)

    /// The connection is gone; what was not answered cannot be any more.
    func connectionClosed(_ connection: HTTP2ServerConnection)
}

extension HTTP2ServerApplication {
    /// Does nothing.
    package func connectionOpened(_ connection: HTTP2ServerConnection, facts: HTTP2ServerConnectionFacts) {}

    /// Does nothing.
    package func connectionClosed(_ connection: HTTP2ServerConnection) {}
}

/// What is known of a client after TLS.
///
/// Any thread.
package struct HTTP2ServerConnectionFacts: Sendable {
    /// The TLS version, for example `TLSv1.3`.
    package var tlsVersion: String
    /// Whether TLS resumed an earlier session.
    package var isResumed: Bool
    /// The common name of the client's certificate, if it showed one.
    package var clientCommonName: String?
    /// The client's own certificate as DER, if it showed one.
    package var clientCertificate: [UInt8]?
}
