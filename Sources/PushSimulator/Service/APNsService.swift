internal import HTTP2Connections
internal import Synchronization

/// The request handler of the simulated APNs.
final class APNsService: HTTP2ServerApplication {
    private let core: SimulatorCore
    private let validator: APNsValidator
    private let raisedStreams: UInt32
    private let connections: ConnectionTable

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - core: The rules, pushes and counts.
    ///   - validator: The validator of pushes.
    ///   - raisedStreams: MAX_CONCURRENT_STREAMS once a push was accepted on a connection.
    init(core: SimulatorCore, validator: APNsValidator, raisedStreams: UInt32) {
        self.core = core
        self.validator = validator
        self.raisedStreams = raisedStreams
        self.connections = ConnectionTable(core: core, provider: .apns)
    }

    func connectionOpened(_ connection: HTTP2ServerConnection, facts: HTTP2ServerConnectionFacts) {
        self.connections.open(connection)
        guard let certificate = facts.clientCertificate.flatMap(APNsClientCertificate.init(der:)) else { return }
        self.connections.record(of: connection)?.state.withLock { state in
            state.apns.certificate = certificate
            state.isRaised = true
        }
        // The initial limit of one stream applies only to token authentication.
        connection.setMaxConcurrentStreams(self.raisedStreams)
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        self.connections.close(connection)
    }

    func receive(_ requests: [HTTP2ServerRequest], on connection: HTTP2ServerConnection) {
        guard let record = self.connections.record(of: connection) else { return }
        let now = self.core.clock()
        let judged = record.state.withLock { state in
            requests.map { request in
                RequestBatch.Judged(
                    request: request,
                    provider: .apns,
                    verdict: self.validator.verdict(on: SimulatorRequest(request), connection: &state.apns, at: now)
                )
            }
        }
        RequestBatch(
            core: self.core,
            connection: connection,
            record: record,
            port: .apns,
            now: now,
            raisedStreams: self.raisedStreams
        ).finish(judged)
    }
}
