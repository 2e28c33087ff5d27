import Cryptography
import Foundation
import GatewayModel
import HTTP2Connections
import HTTPTransfers
import Logging
import NIOCore
import NIOPosix
import ProcessHarness
import PushProviders
import PushSimulator

/// Sends pushes to a peer with a fault, with the gateway's own sender, and counts the results.
struct FaultRun {
    /// The number of pushes for each fault.
    var pushes: Int
    /// The longest time for one fault.
    var limit = Duration.seconds(120)

    /// Runs one fault and returns the result of the pushes.
    func run(_ fault: Fault) async throws -> FaultResult {
        switch fault.peer {
        case .simulator(var configuration, let rules):
            configuration.control = nil
            configuration.keptPushes = pushes * 100
            let simulator = try await PushSimulator.start(configuration)
            simulator.setRules(rules)
            let outcome = await Result { try await send(fault, to: simulator.apns.port, simulator.credentials) }
            let taken = simulator.pushes.filter { $0.result == .accepted }.compactMap(\.token)
            let connections = simulator.statistics.connections[.apns]?.opened
            await simulator.stop()
            let (counts, time) = try outcome.get()
            return FaultResult(
                fault,
                pushes: pushes,
                counts: counts,
                taken: taken,
                connections: connections,
                seconds: time
            )
        case .node(let mode):
            let directory = try TemporaryDirectory()
            let credentials = try SimulatorCredentials(folder: directory.path("keys"))
            let node = try await NodeServer.start(
                mode,
                key: credentials.serverKeyFile,
                certificate: credentials.serverCertificateFile
            )
            let (counts, time) = try await send(fault, to: node.port, credentials)
            return FaultResult(
                fault,
                pushes: pushes,
                counts: counts,
                taken: node.tokens,
                connections: mode == .http1 ? nil : node.connections,
                seconds: time
            )
        }
    }

    private func send(
        _ fault: Fault,
        to port: Int,
        _ credentials: SimulatorCredentials
    ) async throws -> (FaultSource.Counts, seconds: Double) {
        let group = MultiThreadedEventLoopGroup.singleton
        let http = TransferClient(trustRootsFile: credentials.authorityFile)
        var configuration = PushProviderConfiguration()
        configuration.requestTimeout = fault.requestTimeout
        configuration.connection.pingInterval = fault.pingInterval
        configuration.connection.pingTimeout = fault.pingInterval
        configuration.connection.backoffBase = .milliseconds(10)
        configuration.connection.backoffCap = .milliseconds(100)
        let clock = SystemClock()
        let factory = try PushProviderFactory(
            eventLoopGroup: group,
            trustRootsFile: credentials.authorityFile,
            httpClient: http,
            clock: clock,
            logger: Logger(label: "proof") { _ in SwiftLogNoOpLogHandler() },
            configuration: configuration
        )
        let app = AppSettings(
            platform: .ios,
            apns: APNsSettings(
                teamId: credentials.teamID,
                keyId: credentials.keyID,
                privateKey: credentials.teamKey.pemRepresentation,
                topic: credentials.topic,
                endpoints: .init(production: "https://127.0.0.1:\(port)")
            )
        )
        let brand = Brand(
            id: BrandID(trusted: Installation.brand),
            name: "Proof",
            settings: BrandSettings(),
            createdAt: clock.now
        )
        let source = FaultSource(count: pushes, eventLoop: group.next())
        let provider = try factory.make(
            lane: LaneKey(brand: brand.id, app: AppID(trusted: "ios"), pushType: .apns, environment: .production),
            app: app,
            brand: brand,
            source: source
        )
        let isRejection = if case .refused = fault.expectation { true } else { false }
        let start = ContinuousClock.now
        await source.send(over: provider, within: limit) { isRejection && $0.refusal != nil }
        let time = seconds(ContinuousClock.now - start)
        await provider.shutdown(within: .seconds(2))
        await http.close(isCancelling: true)
        return (source.counts, time)
    }
}

extension Result where Failure == any Error {
    /// Runs a closure, and stores its error for later.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
