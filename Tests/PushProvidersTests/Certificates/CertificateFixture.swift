import Cryptography
import Foundation
import GatewayModel
import PushProviders
import PushSimulator
import TestSupport
import Testing

/// Two simulated APNs of one authority, production and sandbox, and a factory that trusts them.
struct CertificateFixture {
    let production: PushSimulator
    let sandbox: PushSimulator
    let factory: PushProviderFactory
    let clock: TestClock

    var credentials: SimulatorCredentials { production.credentials }

    static func run(body: (CertificateFixture) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The gateway's clock stands still at a time outside the certificates' validity.
        let clock = TestClock(now: Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)))
        var configuration = SimulatorConfiguration()
        configuration.certificates = folder
        configuration.control = nil
        configuration.clock = { SimulatorTime(milliseconds: clock.now.milliseconds) }
        let production = try await PushSimulator.start(configuration)
        configuration.isAPNsSandbox = true
        let sandbox = try await PushSimulator.start(configuration)
        let result: Result<Void, any Error>
        do {
            try await Harness.factory(trust: production.credentials.authorityPEM, clock: clock) { factory, _ in
                try await body(
                    CertificateFixture(production: production, sandbox: sandbox, factory: factory, clock: clock)
                )
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await production.stop()
        await sandbox.stop()
        try result.get()
    }

    private var endpoints: APNsSettings.Endpoints {
        APNsSettings.Endpoints(
            production: "https://localhost:\(production.apns.port)",
            sandbox: "https://localhost:\(sandbox.apns.port)"
        )
    }

    /// An app with a certificate.
    func app(_ certificate: String, password: String? = nil, topic: String? = nil) -> AppSettings {
        let settings = APNsCertificateSettings(certificate: certificate, password: password)
        return AppSettings(
            platform: .ios,
            apns: APNsSettings(.certificate(settings), topic: topic, endpoints: endpoints)
        )
    }

    /// An app with the team's key.
    var tokenApp: AppSettings {
        AppSettings(
            platform: .ios,
            apns: APNsSettings(
                teamId: credentials.teamID,
                keyId: credentials.keyID,
                privateKey: credentials.teamKey.pemRepresentation,
                topic: credentials.topic,
                endpoints: endpoints
            )
        )
    }

    /// The simulator's certificate as one PEM text.
    var pem: String {
        get throws { try String(contentsOfFile: credentials.certificateFile, encoding: .utf8) }
    }

    /// Creates a certificate by specification, as one PEM text.
    func pem(
        _ topics: [String] = ["com.example.bank"],
        _ change: (inout APNsCertificateSpecification) -> Void = { _ in }
    ) throws -> String {
        var specification = APNsCertificateSpecification(topics: topics)
        change(&specification)
        return try credentials.makeCertificate(specification)
    }

    /// Returns the error of an app's settings.
    func fault(_ app: AppSettings) -> PushCredentialError? {
        do {
            try PushProviderFactory.validate(app: PushProviderFactory.open(app: app), now: clock.now)
            return nil
        } catch { return error }
    }

    /// Makes a provider for a lane, runs the body, and shuts the provider down.
    func lane(
        _ app: AppSettings,
        _ environment: PushEnvironment = .production,
        body: (any PushProvider, TestSource) async throws -> Void
    ) async throws {
        let source = TestSource()
        let provider = try factory.make(
            lane: TestMessages.lane(.apns, environment),
            app: PushProviderFactory.open(app: app),
            brand: TestMessages.brand,
            source: source
        )
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

    /// Sends pushes and waits for their results.
    static func send(_ count: Int, _ provider: any PushProvider, _ source: TestSource) async -> [PushResponse] {
        source.add(count, token: "ab12")
        provider.wake()
        return await source.responses.take(count).map(\.response)
    }
}
