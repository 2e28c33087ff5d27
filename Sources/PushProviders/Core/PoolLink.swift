import HTTP2Connections

/// What one pool knows as its source, so that an old pool's news are not taken for the current one's.
final class PoolLink: HTTP2RequestSource {
    private let core: ProviderCore
    private let number: UInt64

    init(core: ProviderCore, number: UInt64) {
        self.core = core
        self.number = number
    }

    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request]) {
        core.nextRequests(
            ConnectionNumber(pool: number, connection: connection),
            capacity: capacity,
            into: &requests
        )
    }

    func receive(_ responses: [HTTP2Response]) {
        core.receive(responses)
    }

    func connectionChanged(_ connection: UInt64, _ state: HTTP2ConnectionState) {
        core.connectionChanged(ConnectionNumber(pool: number, connection: connection), state)
    }
}
