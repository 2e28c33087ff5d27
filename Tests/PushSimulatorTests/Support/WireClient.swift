import Cryptography
import HTTP2Connections
import Logging
import NIOCore
import NIOPosix
import PushSimulator
import TLS
import TestSupport
import TextFormats

/// The gateway's own HTTP/2 client, connected to a simulator.
struct WireClient {
    static let logger = Logger(label: "simulator.tests") { _ in SwiftLogNoOpLogHandler() }

    let simulator: PushSimulator
    /// One provider token for all pushes: a second one within 20 minutes would be rejected.
    let authorization: String
    private let pool: HTTP2ConnectionPool
    private let queue: HTTP2RequestQueue
    let states: AsyncStream<HTTP2ConnectionState>

    /// Runs a simulator and a client of one of its ports, and shuts both down.
    static func run(
        _ configuration: SimulatorConfiguration = SimulatorConfiguration(),
        port: KeyPath<PushSimulator, SimulatorAddress> = \.apns,
        body: (WireClient) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.control = nil
        let simulator = try await PushSimulator.start(configuration)
        let result = await Result { try await connect(to: simulator, port: port, body: body) }
        await simulator.stop()
        try result.get()
    }

    /// Connects one more client to a running simulator.
    static func connect(
        to simulator: PushSimulator,
        port: KeyPath<PushSimulator, SimulatorAddress> = \.apns,
        body: (WireClient) async throws -> Void
    ) async throws {
        let address = simulator[keyPath: port]
        let (states, changed) = AsyncStream.makeStream(
            of: HTTP2ConnectionState.self,
            bufferingPolicy: .bufferingNewest(100)
        )
        let queue = HTTP2RequestQueue(limit: 1000) { changed.yield($0) }
        // Rules and counts apply to one connection.
        var configuration = HTTP2ConnectionConfiguration()
        configuration.maximumConnections = 1
        let pool = HTTP2ConnectionPool(
            target: HTTP2Target(host: address.host, port: address.port, serverName: "localhost"),
            tls: try TLSClientContext(trustRootsFile: simulator.credentials.authorityFile),
            configuration: configuration,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            source: queue,
            logger: logger
        )
        queue.attach(pool)
        let client = WireClient(
            simulator: simulator,
            authorization: try simulator.providerToken(),
            pool: pool,
            queue: queue,
            states: states
        )
        let result = await Result { try await body(client) }
        try await pool.shutdown(deadline: .now()).get()
        queue.close()
        try result.get()
    }

    /// Sends one request and waits for its end.
    func send(
        _ path: String,
        _ headers: [HTTP2Header],
        body: String,
        timeout: TimeAmount = .seconds(20)
    ) async -> HTTP2Response {
        await withCheckedContinuation { continuation in
            let request = HTTP2Request(id: 0, path: path, headers: headers, body: Array(body.utf8), timeout: timeout)
            if !queue.submit(request, completion: { continuation.resume(returning: $0) }) {
                continuation.resume(returning: HTTP2Response(id: 0, result: .failure(.unprocessed(.queueFull))))
            }
        }
    }

    /// Sends a push to APNs.
    func push(
        authorization: String? = nil,
        token: String = APNsFixture.deviceToken,
        body: String = #"{"aps":{"alert":"Hello"}}"#,
        timeout: TimeAmount = .seconds(20)
    ) async -> HTTP2Response {
        let headers = [
            HTTP2Header(name: "authorization", value: authorization ?? self.authorization),
            HTTP2Header(name: "apns-topic", value: simulator.credentials.topic),
            HTTP2Header(name: "apns-push-type", value: "alert"),
        ]
        return await send("/3/device/" + token, headers, body: body, timeout: timeout)
    }

    /// Requests an access token with the service account's file.
    func accessToken() async throws -> String {
        let form =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(try simulator.assertion())"
        let type = HTTP2Header(name: "content-type", value: "application/x-www-form-urlencoded")
        let response = await send("/token", [type], body: form)
        return try response.json()["access_token"]?.stringValue ?? ""
    }

    /// Sends a message to FCM.
    func message(_ body: String, accessToken: String) async -> HTTP2Response {
        let path = "/v1/projects/\(simulator.credentials.projectID)/messages:send"
        return await send(path, [HTTP2Header(name: "authorization", value: "Bearer \(accessToken)")], body: body)
    }
}

extension SimulatorConfiguration {
    /// The defaults with changes.
    static func with(_ change: (inout Self) -> Void) -> Self {
        var configuration = Self()
        change(&configuration)
        return configuration
    }
}

extension HTTP2Response {
    /// The response's body.
    func json() throws -> JSONValue {
        guard case .response(_, _, let body) = result else { return .null }
        return try JSONValue(parsing: body)
    }

    /// Returns a header of the response.
    func header(_ name: String) -> String? {
        guard case .response(_, let headers, _) = result else { return nil }
        return headers[name]
    }
}

extension PushSimulator {
    /// Creates the value of `authorization` for APNs.
    func providerToken(issuedAt: SimulatorTime = .now()) throws -> String {
        let header = JSONValue.object([
            .init(name: "alg", value: .string("ES256")), .init(name: "kid", value: .string(credentials.keyID)),
        ])
        let claims = JSONValue.object([
            .init(name: "iss", value: .string(credentials.teamID)),
            .init(name: "iat", value: .integer(issuedAt.seconds)),
        ])
        return "bearer " + (try CompactJWS.signed(header: header, claims: claims, with: credentials.teamKey))
    }

    /// Creates an assertion for the token endpoint.
    func assertion() throws -> String {
        let now = SimulatorTime.now().seconds
        let input = CompactJWS.signingInput(
            header: .object([
                .init(name: "alg", value: .string("RS256")),
                .init(name: "kid", value: .string(credentials.accountKeyID)),
            ]),
            claims: .object([
                .init(name: "iss", value: .string(credentials.accountEmail)),
                .init(name: "scope", value: .string("https://www.googleapis.com/auth/firebase.messaging")),
                .init(name: "aud", value: .string(tokenURI)), .init(name: "iat", value: .integer(now)),
                .init(name: "exp", value: .integer(now + 3600)),
            ])
        )
        let signature = try credentials.accountKey.signature(for: Array(input.utf8), padding: .pkcs1)
        return input + "." + StrictBase64.encode(signature, .url)
    }
}
