import Foundation
import GatewayModel
import GatewayStorage
import Identity
import Synchronization
import TestSupport
import Testing

@Suite("Certificates encrypted with a password", .timeLimit(.minutes(10)))
struct ClosedCertificateTests {
    private static let ios = AppID(trusted: "ios")

    private static func settings(password: String?, _ certificate: String = "PEM") -> AppSettings {
        let certificate = APNsCertificateSettings(certificate: certificate, password: password)
        return AppSettings(platform: .ios, apns: APNsSettings(.certificate(certificate), topic: "com.example.chat"))
    }

    private static let opened = settings(password: nil, "PEM, opened")
    /// The same, put by an administrator of this version.
    private static var openedByAdmin: AppSettings {
        var settings = opened
        settings.endpointsBy = .admin
        return settings
    }

    /// Returns the directory after a start, with the reader that it used.
    private func start(_ gateway: Gateway) async throws -> (Directory, TestSettingsReader) {
        let reader = TestSettingsReader()
        let directory = try await Directory.load(
            store: gateway.store,
            box: SecretBox(key: gateway.key),
            clock: gateway.clock,
            reader: reader
        )
        return (directory, reader)
    }

    /// Stores an app as earlier versions did, without decrypting it.
    private func storeClosed(_ gateway: Gateway, password: String = "secret") async throws {
        let json = [UInt8](try JSONEncoder().encode(Self.settings(password: password)))
        let stored = StoredApp(
            brand: Gateway.acme,
            id: Self.ios,
            sealedSettings: try SecretBox(key: gateway.key).seal(json, context: "app/acme/ios"),
            updatedAt: gateway.clock.now
        )
        let lanes = PushEnvironment.allCases.map {
            LaneKey(brand: Gateway.acme, app: Self.ios, pushType: .apns, environment: $0)
        }
        _ = try await gateway.store.putApp(stored, lanes: lanes, audit: nil)
    }

    @Test("a certificate that is put encrypted is decrypted once and stored decrypted; a start decrypts nothing")
    func put() async throws {
        try await Gateway.with { gateway in
            let (directory, reader) = try await start(gateway)
            let (app, _) = try await directory.putApp(
                brand: Gateway.acme,
                app: Self.ios,
                settings: Self.settings(password: "secret")
            )
            #expect(reader.openings == 1)
            #expect(app.settings == Self.openedByAdmin)
            let (later, laterReader) = try await start(gateway)
            let known = try #require(later.app(brand: Gateway.acme, app: Self.ios))
            #expect(known == app)
            #expect(!known.isClosed)
            _ = try await later.openApp(brand: Gateway.acme, app: Self.ios)
            #expect(laterReader.openings == 0)
        }
    }

    @Test("one that cannot be decrypted is rejected, and the old one stays")
    func refused() async throws {
        try await Gateway.with { gateway in
            let (directory, _) = try await start(gateway)
            let problem = SettingsProblem(pointer: "/apns/password", detail: "does not open the certificate")
            await #expect(throws: DirectoryError.invalid([problem])) {
                try await directory.putApp(
                    brand: Gateway.acme,
                    app: Self.ios,
                    settings: Self.settings(password: "wrong")
                )
            }
            #expect(directory.app(brand: Gateway.acme, app: Self.ios) == nil)
        }
    }

    @Test("one stored encrypted by an earlier version is decrypted once at its first use, and stays decrypted")
    func firstUse() async throws {
        try await Gateway.with { gateway in
            try await storeClosed(gateway)
            let (directory, reader) = try await start(gateway)
            let changes = Mutex<[DirectoryChange]>([])
            directory.onChange { change in changes.withLock { $0.append(change) } }
            let closed = try #require(directory.app(brand: Gateway.acme, app: Self.ios))
            #expect(closed.isClosed)
            #expect(reader.openings == 0)
            await withTaskGroup(of: AppSettings?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try? await directory.openApp(brand: Gateway.acme, app: Self.ios)?.settings
                    }
                }
                for await settings in group { #expect(settings == Self.opened) }
            }
            #expect(reader.openings == 1)
            // Providers are created again with the decrypted certificate; the app's readable part is unchanged.
            #expect(changes.withLock { $0 }.map(\.changedLanes.count) == [2])
            let opened = try #require(directory.app(brand: Gateway.acme, app: Self.ios))
            #expect(opened.certificate == TestSettingsReader.certificate)
            #expect(opened.updatedAt == closed.updatedAt)

            let (later, laterReader) = try await start(gateway)
            #expect(later.app(brand: Gateway.acme, app: Self.ios) == opened)
            #expect(laterReader.openings == 0)
        }
    }

    @Test("one that cannot be decrypted at its first use has the reason, and is not tried again until it is put again")
    func failing() async throws {
        try await Gateway.with { gateway in
            try await storeClosed(gateway, password: "wrong")
            let (directory, reader) = try await start(gateway)
            for _ in 0..<3 {
                let app = try #require(try await directory.openApp(brand: Gateway.acme, app: Self.ios))
                #expect(app.isClosed)
                #expect(app.openingProblem?.pointer == "/apns/password")
            }
            #expect(reader.openings == 1)
            _ = try await directory.putApp(
                brand: Gateway.acme,
                app: Self.ios,
                settings: Self.settings(password: "secret")
            )
            let app = try #require(try await directory.openApp(brand: Gateway.acme, app: Self.ios))
            #expect(app.settings == Self.openedByAdmin)
            #expect(app.openingProblem == nil)
            #expect(try await directory.openApp(brand: Gateway.acme, app: AppID(trusted: "other")) == nil)
        }
    }
}
