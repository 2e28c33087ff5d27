import Cryptography
import Foundation
import GatewayModel
import GuardedHTTP
import HTTP2Connections
import HTTPTransfers
import Logging
import NIOCore
import NIOPosix
import PushProviders
import TLS
import Telemetry
import TestSupport
import Testing

/// A provider's host on loopback with real TLS, and a factory that trusts it by a file.
struct Harness {
    static let logger = Logger(label: "push.tests") { _ in SwiftLogNoOpLogHandler() }

    let server: HTTP2Server
    let application: TestServer
    let factory: PushProviderFactory
    let clock: TestClock
    var port: Int { server.port }

    static func run(
        certificate: String = TestCertificates.leaf,
        trust: String = TestCertificates.root,
        metrics: ProviderMetrics? = nil,
        policy: AddressPolicy = AddressPolicy(),
        resolver: any HostResolver = TableResolver([:]),
        names: (any HostResolver)? = nil,
        proxy: OutboundProxy? = nil,
        server configuration: HTTP2ServerConfiguration = HTTP2ServerConfiguration(),
        respond: @escaping TestServer.Responder,
        body: (Harness) async throws -> Void
    ) async throws {
        let application = TestServer(respond: respond)
        let server = try await HTTP2Server.bind(
            tls: try TLSServerContext(
                identity: TLSIdentity(
                    certificateChainPEM: Array(certificate.utf8),
                    privateKeyPEM: Array(TestCertificates.leafKey.utf8)
                )
            ),
            configuration: configuration,
            application: application,
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        try await factory(
            trust: trust,
            metrics: metrics,
            policy: policy,
            resolver: resolver,
            names: names,
            proxy: proxy
        ) { factory, clock in
            let result: Result<Void, any Error>
            do {
                try await body(Harness(server: server, application: application, factory: factory, clock: clock))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await server.shutdown()
            try result.get()
        }
    }

    /// Makes only a factory, for third-party peers.
    static func factory(
        trust: String = TestCertificates.root,
        clock: TestClock = TestClock(),
        metrics: ProviderMetrics? = nil,
        policy: AddressPolicy = AddressPolicy(),
        resolver: any HostResolver = TableResolver([:]),
        names: (any HostResolver)? = nil,
        proxy: OutboundProxy? = nil,
        body: (PushProviderFactory, TestClock) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("roots-\(UUID().uuidString).pem")
        try Data(trust.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let client = TransferClient(trustRootsFile: file.path)
        let tenants = GuardedHTTPClient(
            resolver: resolver,
            trustRootsFile: file.path,
            policy: policy,
            proxy: proxy,
            maxIdle: 0
        )
        var configuration = PushProviderConfiguration()
        configuration.connection.backoffBase = .milliseconds(1)
        configuration.connection.backoffCap = .milliseconds(2)
        configuration.tokenBackoffBase = .milliseconds(1)
        configuration.tokenBackoffCap = .milliseconds(2)
        let result: Result<Void, any Error>
        do {
            let factory = try PushProviderFactory(
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                trustRootsFile: file.path,
                httpClient: client,
                proxy: proxy,
                tenants: tenants,
                names: names,
                clock: clock,
                metrics: metrics,
                logger: logger,
                configuration: configuration
            )
            try await body(factory, clock)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await client.close(isCancelling: true)
        await tenants.close()
        try result.get()
    }

    /// Makes a provider for a lane, runs the body, and shuts the provider down.
    func lane(
        _ app: AppSettings,
        _ lane: LaneKey,
        source: TestSource = TestSource(),
        body: (any PushProvider, TestSource) async throws -> Void
    ) async throws {
        let provider = try factory.make(lane: lane, app: app, brand: TestMessages.brand, source: source)
        let result: Result<Void, any Error>
        do {
            try await body(provider, source)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await provider.shutdown(within: .zero)
        try result.get()
    }
}

/// A parsed compact JWS.
struct Compact {
    let header: NSDictionary
    let claims: NSDictionary
    let signature: Data
    let input: Data

    init(_ token: some StringProtocol) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        func decode(_ part: Substring) throws -> Data {
            var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            while text.count % 4 != 0 { text += "=" }
            return try #require(Data(base64Encoded: text))
        }
        let text = String(token)
        let pieces = text.split(separator: ".", omittingEmptySubsequences: false)
        header = try #require(try JSONSerialization.jsonObject(with: decode(pieces[0])) as? NSDictionary)
        claims = try #require(try JSONSerialization.jsonObject(with: decode(pieces[1])) as? NSDictionary)
        signature = try decode(pieces[2])
        input = Data("\(pieces[0]).\(pieces[1])".utf8)
    }
}
