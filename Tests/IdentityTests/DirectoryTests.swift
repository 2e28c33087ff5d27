import Foundation
import GatewayModel
import GatewayStorage
import Synchronization
import TestSupport
import Testing

@testable import Identity

@Suite("The directory is consistent with the store", .timeLimit(.minutes(10)))
struct DirectoryTests {
    private static let ios = AppID(trusted: "ios")
    private static let apnsOnly = AppSettings(platform: .ios, apns: Gateway.apns)
    private static let fcmOnly = AppSettings(platform: .android, fcm: Gateway.fcm)

    /// The changes that the listeners received.
    private final class ChangeRecorder: Sendable {
        private let list = Mutex<[DirectoryChange]>([])

        func take() -> [DirectoryChange] {
            list.withLock { list in
                defer { list = [] }
                return list
            }
        }

        /// Returns the changed lanes since the last call.
        func changedLanes() -> [Set<LaneID>] { take().map { Set($0.changedLanes) } }

        init(_ directory: Directory) {
            directory.onChange { [weak self] change in self?.list.withLock { $0.append(change) } }
        }
    }

    private func put(_ settings: AppSettings, _ gateway: Gateway, brand: BrandID = Gateway.acme) async throws -> Bool {
        try await gateway.directory.putApp(brand: brand, app: Self.ios, settings: settings).isNew
    }

    // MARK: Brands

    @Test("brands are created, changed and deleted, with the same result after a restart")
    func brands() async throws {
        try await Gateway.with { gateway in
            let directory = gateway.directory
            #expect(directory.brands.map(\.id) == [Gateway.acme, Gateway.other])
            let taken = Brand(id: Gateway.acme, name: "x", settings: BrandSettings(), createdAt: gateway.clock.now)
            await #expect(throws: DirectoryError.duplicate) { try await directory.createBrand(taken) }
            #expect(directory.brand(Gateway.acme)?.name == "acme")

            var settings = BrandSettings()
            settings.sessionTtlSeconds = 120
            settings.singleDevice = true
            let changed = try await directory.updateBrand(Gateway.acme) { brand throws(DirectoryError) in
                brand.name = "Acme"
                brand.settings = settings
            }
            #expect(changed.settings.sessionTtlSeconds == 120 && changed.name == "Acme")
            #expect(directory.brand(Gateway.acme) == changed)
            #expect(try await gateway.reloaded().brands == directory.brands)

            try await directory.deleteBrand(Gateway.acme)
            #expect(directory.brands.map(\.id) == [Gateway.other])
            #expect(try await gateway.reloaded().brands.map(\.id) == [Gateway.other])
            await #expect(throws: DirectoryError.notFound) { try await directory.deleteBrand(Gateway.acme) }
            await #expect(throws: DirectoryError.notFound) {
                try await directory.updateBrand(Gateway.acme) { brand throws(DirectoryError) in brand.name = "" }
            }
        }
    }

    @Test("a deleted brand takes only its own apps, lanes and credentials with it")
    func deletedBrand() async throws {
        try await Gateway.with { gateway in
            let directory = gateway.directory
            for brand in [Gateway.acme, Gateway.other] {
                _ = try await put(Self.apnsOnly, gateway, brand: brand)
                try await gateway.sdkKey("key of \(brand)", brand: brand)
            }
            let gone = try await gateway.sdkKey("revoked")
            try await directory.revokeCredential(brand: Gateway.acme, id: gone.summary.id)
            let lanes = Set(directory.lanes.filter { $0.key.brand == Gateway.acme }.map(\.id))
            let heard = ChangeRecorder(directory)
            try await directory.deleteBrand(Gateway.acme)
            let change = try #require(heard.take().first)
            #expect(Set(change.removedLanes) == lanes && lanes.count == 2 && change.changedLanes.isEmpty)
            #expect(directory.app(brand: Gateway.acme, app: Self.ios) == nil)
            #expect(directory.credentials(brand: Gateway.acme).isEmpty)
            #expect(directory.sdkKey(name: "key of acme") == nil)
            #expect(directory.lanes.map(\.key.brand) == [Gateway.other, Gateway.other])
            #expect(directory.sdkKey(name: "key of other") != nil)
            // The names can be used again, and nothing of them is stored.
            let secret = "a-new-secret-of-more-than-thirty-two-bytes"
            try await gateway.sdkKey("key of acme", secret: secret, brand: Gateway.other)
            #expect(!directory.snapshot.revokedSDKKeys.contains(.init("revoked"), of: Gateway.acme))
        }
    }

    // MARK: Apps

    @Test("an app has the lanes that its settings allow, and listeners receive the changed ones")
    func lanes() async throws {
        try await Gateway.with { gateway in
            let directory = gateway.directory
            let heard = ChangeRecorder(directory)
            func lane(_ type: PushType, _ environment: PushEnvironment) -> LaneID? {
                directory.lanes.first { $0.key.pushType == type && $0.key.environment == environment }?.id
            }
            #expect(try await put(Self.apnsOnly, gateway))
            let production = try #require(lane(.apns, .production))
            let sandbox = try #require(lane(.apns, .sandbox))
            #expect(lane(.fcm, .production) == nil)
            #expect(Set(directory.lanes.map(\.id)) == [production, sandbox])
            var stored = Self.apnsOnly
            stored.endpointsBy = .admin
            #expect(directory.lane(production)?.app == stored)
            #expect(directory.lane(production)?.brand.id == Gateway.acme)
            #expect(heard.changedLanes() == [[production, sandbox]])

            // The same again: the lanes keep their ids.
            #expect(try await put(Self.apnsOnly, gateway) == false)
            #expect(heard.changedLanes() == [[production, sandbox]])

            // Another provider in place of the first: its lanes can no longer send.
            #expect(try await put(Self.fcmOnly, gateway) == false)
            let fcm = try #require(lane(.fcm, .production))
            #expect(directory.lanes.map(\.id) == [fcm])
            #expect(directory.lane(production) == nil && directory.lane(sandbox) == nil)
            let change = try #require(heard.take().first)
            #expect(change.changedLanes == [fcm])
            #expect(Set(change.removedLanes) == [production, sandbox])

            // One provider's part changes: the other's lanes are not notified, unless both share the changed part.
            var both = Self.fcmOnly
            both.apns = Gateway.apns
            #expect(try await put(both, gateway) == false)
            #expect(heard.changedLanes() == [[production, sandbox]])
            let style = both.fcm?.style
            both.fcm?.style = style == .data ? .notification : .data
            #expect(try await put(both, gateway) == false)
            #expect(heard.changedLanes() == [[fcm]])
            both.dialect = .ujet
            #expect(try await put(both, gateway) == false)
            #expect(heard.changedLanes() == [[production, sandbox, fcm]])
            #expect(try await put(Self.fcmOnly, gateway) == false)
            _ = heard.take()

            // A brand's change affects the lanes that can send.
            _ = try await directory.updateBrand(Gateway.acme) { brand throws(DirectoryError) in brand.name = "A" }
            #expect(heard.take() == [DirectoryChange(changedLanes: [fcm], laneChange: .rendering)])
            _ = try await directory.updateBrand(Gateway.acme) { brand throws(DirectoryError) in
                brand.settings.dedupeHours = 24
            }
            #expect(heard.take() == [DirectoryChange(changedLanes: [fcm], laneChange: .rules)])
            #expect(directory.lane(fcm)?.brand.name == "A")
            let reloaded = try await gateway.reloaded()
            #expect(reloaded.lanes.map(\.id) == [fcm])
            #expect(reloaded.apps(brand: Gateway.acme) == directory.apps(brand: Gateway.acme))

            // When the credential is set again, the same lanes exist again.
            _ = try await put(Self.apnsOnly, gateway)
            #expect(lane(.apns, .production) == production)

            try await directory.deleteApp(brand: Gateway.acme, app: Self.ios)
            #expect(Set(heard.take().flatMap(\.removedLanes)).isSuperset(of: [production, sandbox, fcm]))
            #expect(directory.snapshot.lanes.isEmpty && directory.apps(brand: Gateway.acme).isEmpty)
            await #expect(throws: DirectoryError.notFound) {
                try await directory.deleteApp(brand: Gateway.acme, app: Self.ios)
            }
        }
    }

    @Test("an invalid app, or one of no brand, changes nothing")
    func refusedApps() async throws {
        try await Gateway.with { gateway in
            let heard = ChangeRecorder(gateway.directory)
            var wrong = Self.apnsOnly
            wrong.apns?.topic = ""
            await #expect(
                throws: DirectoryError.invalid([SettingsProblem(pointer: "/apns/topic", detail: "is empty")])
            ) { try await put(wrong, gateway) }
            await #expect(throws: DirectoryError.notFound) {
                try await put(Self.apnsOnly, gateway, brand: BrandID(trusted: "nobody"))
            }
            #expect(gateway.directory.apps(brand: Gateway.acme).isEmpty)
            let stored = try await gateway.store.apps()
            #expect(stored.isEmpty)
            #expect(heard.take().isEmpty)
        }
    }

    @Test("the shown form of an app has fingerprints and no secret, and the store has no secret in plain text")
    func redacted() async throws {
        try await Gateway.with { gateway in
            var settings = AppSettings(platform: .ios, apns: Gateway.apns, fcm: Gateway.fcm, dialect: .ujet)
            _ = try await put(settings, gateway)
            settings.endpointsBy = .admin
            let app = try #require(gateway.directory.app(brand: Gateway.acme, app: Self.ios))
            #expect(app.settings == settings)
            let json = String(decoding: try JSONEncoder().encode(app.redacted), as: UTF8.self)
            #expect(!json.contains("PEM-OF"))
            #expect(json.contains(SecretHash.fingerprint("PEM-OF-PRODUCTION")))
            #expect(json.contains(SecretHash.fingerprint("PEM-OF-SANDBOX")))
            #expect(json.contains(SecretHash.fingerprint("PEM-OF-FCM")))
            #expect(json.contains("KEY1234567") && json.contains("\"project_id\":\"project\""))
            let secret = try #require(try await gateway.sdkKey("main").secret)
            await gateway.store.close()
            for file in try FileManager.default.contentsOfDirectory(atPath: gateway.folder.path) {
                let data = try Data(contentsOf: gateway.folder.appending(path: file))
                for text in ["PEM-OF", secret] { #expect(data.range(of: Data(text.utf8)) == nil, "\(file)") }
            }
        }
    }

    @Test("a certificate is shown by its facts, after a restart too, and never by its text or password")
    func redactedCertificate() async throws {
        try await Gateway.with { gateway in
            let certificate = APNsCertificateSettings(certificate: "PEM-OF-CERTIFICATE", password: "PEM-OF-PASSWORD")
            let apns = APNsSettings(.certificate(certificate), topic: "com.example.chat")
            _ = try await put(AppSettings(platform: .ios, apns: apns), gateway)
            let opened = APNsCertificateSettings(certificate: "PEM-OF-CERTIFICATE, opened")
            for directory in [gateway.directory, try await gateway.reloaded()] {
                let app = try #require(directory.app(brand: Gateway.acme, app: Self.ios))
                #expect(app.settings.apns?.authentication == .certificate(opened))
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                let json = String(decoding: try encoder.encode(app.redacted.apns), as: UTF8.self)
                #expect(
                    json == #"""
                        {"certificateFingerprint":"ab12","commonName":"Apple Push Services: com.example.chat",\#
                        "expiresAt":"2027-01-15T08:00:00.000Z","topic":"com.example.chat",\#
                        "topics":["com.example.chat","com.example.chat.voip"]}
                        """#
                )
            }
            await gateway.store.close()
            for file in try FileManager.default.contentsOfDirectory(atPath: gateway.folder.path) {
                let data = try Data(contentsOf: gateway.folder.appending(path: file))
                #expect(data.range(of: Data("PEM-OF".utf8)) == nil, "\(file)")
            }
        }
    }

    // MARK: Credentials

    @Test("credentials are listed without secrets, by age, for their brand only, also after a restart")
    func credentials() async throws {
        try await Gateway.with { gateway in
            let directory = gateway.directory
            let first = try await directory.issue(
                .serviceAccount(scopes: [.eventsWrite]),
                brand: Gateway.acme,
                name: "crm"
            )
            gateway.clock.advance(seconds: 1)
            let second = try await gateway.sdkKey("main", algorithm: .hs384)
            try await gateway.sdkKey("theirs", brand: Gateway.other)
            #expect(directory.credentials(brand: Gateway.acme) == [first.summary, second.summary])
            #expect(second.summary.details == .sdkKey(algorithm: .hs384, app: nil) && second.secret == Signer.secret)
            let reloaded = try await gateway.reloaded()
            #expect(reloaded.credentials(brand: Gateway.acme) == [first.summary, second.summary])
            #expect(reloaded.sdkKey(name: "main")?.secret == Array(Signer.secret.utf8))
            #expect(reloaded.serviceAccount(id: first.summary.id)?.identity.scopes == [.eventsWrite])

            // Another brand cannot revoke it (R188).
            await #expect(throws: DirectoryError.notFound) {
                try await directory.revokeCredential(brand: Gateway.other, id: first.summary.id)
            }
            #expect(directory.serviceAccount(id: first.summary.id) != nil)
            try await directory.revokeCredential(brand: Gateway.acme, id: first.summary.id)
            await #expect(throws: DirectoryError.notFound) {
                try await directory.revokeCredential(brand: Gateway.acme, id: first.summary.id)
            }
            #expect(directory.credentials(brand: Gateway.acme) == [second.summary])
        }
    }

    @Test("an SDK key's name is unique in the instance, and stays in use when the key is revoked")
    func keyNames() async throws {
        try await Gateway.with { gateway in
            let issued = try await gateway.sdkKey("main")
            for brand in [Gateway.acme, Gateway.other] {
                await #expect(throws: DirectoryError.duplicate) { try await gateway.sdkKey("main", brand: brand) }
            }
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: issued.summary.id)
            #expect(gateway.directory.sdkKey(name: "main") == nil)
            for brand in [Gateway.acme, Gateway.other] {
                await #expect(throws: DirectoryError.duplicate) { try await gateway.sdkKey("main", brand: brand) }
            }
            await #expect(throws: AuthenticationError.tokenInvalid(.revoked)) {
                try await gateway.verifier.verify(Signer.token(), keyName: nil, brand: Gateway.acme)
            }
            // In the other brand it never was a key.
            await #expect(throws: AuthenticationError.tokenInvalid(.unknownIssuer)) {
                try await gateway.verifier.verify(Signer.token(), keyName: nil, brand: Gateway.other)
            }
        }
    }

    @Test("a deletion that was committed though it failed takes effect when it is repeated")
    func uncertainDeletion() async throws {
        try await Gateway.with { gateway in
            let account = try await gateway.directory.issue(
                .serviceAccount(scopes: [.eventsWrite]),
                brand: Gateway.acme,
                name: "crm"
            )
            // As if the directory had not been notified.
            #expect(try await gateway.store.deleteBrand(Gateway.acme, audit: nil) != nil)
            #expect(gateway.directory.serviceAccount(id: account.summary.id) != nil)
            await #expect(throws: DirectoryError.notFound) { try await gateway.directory.deleteBrand(Gateway.acme) }
            #expect(gateway.directory.brand(Gateway.acme) == nil)
            #expect(gateway.directory.serviceAccount(id: account.summary.id) == nil)
        }
        try await Gateway.with { gateway in
            _ = try await put(Self.apnsOnly, gateway)
            let lanes = gateway.directory.lanes.map(\.id)
            try #require(!lanes.isEmpty)
            #expect(
                try await gateway.store.deleteApp(brand: Gateway.acme, app: Self.ios, audit: nil) != nil
            )
            await #expect(throws: DirectoryError.notFound) {
                try await gateway.directory.deleteApp(brand: Gateway.acme, app: Self.ios)
            }
            #expect(gateway.directory.app(brand: Gateway.acme, app: Self.ios) == nil)
            #expect(gateway.directory.lanes.isEmpty)
        }
    }

    @Test("names that are canonically equivalent but differ in their bytes are two keys")
    func lookalikes() async throws {
        try await Gateway.with { gateway in
            let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
            try await gateway.sdkKey(composed)
            let theirs = "another-secret-of-more-than-thirty-two-bytes"
            let other = try await gateway.sdkKey(decomposed, secret: theirs, brand: Gateway.other)
            for directory in [gateway.directory, try await gateway.reloaded()] {
                #expect(directory.sdkKey(name: composed)?.brand == Gateway.acme)
                #expect(directory.sdkKey(name: decomposed)?.brand == Gateway.other)
            }
            try await gateway.directory.revokeCredential(brand: Gateway.other, id: other.summary.id)
            #expect(gateway.directory.sdkKey(name: composed)?.brand == Gateway.acme)
            #expect(gateway.directory.sdkKey(name: decomposed) == nil)
        }
    }

    @Test("an invalid credential is rejected, with its invalid member")
    func refusedCredentials() async throws {
        try await Gateway.with { gateway in
            func pointer(_ body: () async throws(DirectoryError) -> Void) async -> String? {
                do {
                    try await body()
                } catch {
                    if case .invalid(let problems) = error { return problems.map(\.pointer).joined(separator: " ") }
                    return "\(error)"
                }
                return nil
            }
            let short = String(repeating: "x", count: 31)
            #expect(
                await pointer { () throws(DirectoryError) in try await gateway.sdkKey("a", secret: short) } == "/secret"
            )
            for name in ["", "a\nb", String(repeating: "x", count: 257)] {
                #expect(await pointer { () throws(DirectoryError) in try await gateway.sdkKey(name) } == "/name")
            }
            #expect(
                await pointer { () throws(DirectoryError) in
                    try await gateway.sdkKey("b", app: AppID(trusted: "nowhere"))
                } == "/app"
            )
            let nobody = BrandID(trusted: "nobody")
            await #expect(throws: DirectoryError.notFound) {
                try await gateway.sdkKey("c", brand: nobody, app: AppID(trusted: "nowhere"))
            }
            await #expect(throws: DirectoryError.notFound) {
                try await gateway.directory.issue(.serviceAccount(scopes: []), brand: nobody, name: "x")
            }
            let stored = try await gateway.store.credentials()
            #expect(stored.isEmpty)
        }
    }

    // MARK: Start

    @Test("a wrong master key is detected at the start, and distinguished from damage")
    func wrongMasterKey() async throws {
        try await Gateway.with { gateway in
            // Brands and service accounts are not sealed: they load with any key.
            #expect(throws: Never.self) { try MasterKey(base64: gateway.key.base64) }
            _ = try await Gateway.load(gateway.store, MasterKey(), gateway.clock)
            let issued = try await gateway.sdkKey("main")
            await #expect(throws: DirectoryError.wrongMasterKey(what: "credential acme/\(issued.summary.id)")) {
                try await Gateway.load(gateway.store, MasterKey(), gateway.clock)
            }
            _ = try await put(Self.apnsOnly, gateway)
            await #expect(throws: DirectoryError.wrongMasterKey(what: "app acme/ios")) {
                try await Gateway.load(gateway.store, MasterKey(), gateway.clock)
            }
            // One app's settings in another's row: sealed with the right key, but in another context.
            var row = try #require(try await gateway.store.apps().first)
            row.id = AppID(trusted: "moved")
            _ = try await gateway.store.putApp(row, lanes: [], audit: nil)
            await #expect(throws: DirectoryError.damaged(what: "app acme/moved")) {
                try await gateway.reloaded()
            }
        }
    }

    // MARK: Several administrators

    @Test("one of two concurrent creations of the same brand succeeds, and the last change is visible to all")
    func concurrent() async throws {
        try await Gateway.with { gateway in
            let directory = gateway.directory
            let clock = gateway.clock
            let made = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<20 {
                    group.addTask {
                        let id = BrandID(trusted: "b\(index / 2)")
                        let brand = Brand(id: id, name: "\(index)", settings: BrandSettings(), createdAt: clock.now)
                        return (try? await directory.createBrand(brand)) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(made == 10)
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<30 {
                    group.addTask {
                        let name = "name \(index)"
                        _ = try? await directory.updateBrand(Gateway.acme) { brand throws(DirectoryError) in
                            brand.name = name
                        }
                    }
                    group.addTask { _ = try? await gateway.sdkKey("key \(index)") }
                }
            }
            let reloaded = try await gateway.reloaded()
            #expect(reloaded.brands == directory.brands && directory.brands.count == 12)
            #expect(directory.credentials(brand: Gateway.acme).count == 30)
            #expect(
                Set(reloaded.credentials(brand: Gateway.acme).map(\.id))
                    == Set(directory.credentials(brand: Gateway.acme).map(\.id))
            )
        }
    }

    @Test("more than 64 waiting administrators are rejected, and the others are served")
    func busy() async throws {
        let gate = AdministrationGate()
        let inside = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let release = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let results = await withTaskGroup(of: DirectoryError?.self) { group in
            group.addTask {
                do throws(DirectoryError) {
                    try await gate.run(of: Gateway.acme) { () async throws(DirectoryError) in
                        inside.continuation.finish()
                        for await _ in release.stream {}
                    }
                    return nil
                } catch {
                    return error
                }
            }
            for await _ in inside.stream {}
            let refused = Counter()
            for _ in 0..<100 {
                group.addTask {
                    do throws(DirectoryError) {
                        try await gate.run(of: Gateway.acme) { () async throws(DirectoryError) in }
                        return nil
                    } catch {
                        // The last rejected one lets the others continue.
                        if refused.next() == 37 {
                            release.continuation.finish()
                        }
                        return error
                    }
                }
            }
            return await group.reduce(into: [DirectoryError?]()) { $0.append($1) }
        }
        #expect(results.count { $0 == .busy } == 37)
        #expect(results.count { $0 == nil } == 64)
    }

    @Test("the administrator of one brand is served while another's fill the queue")
    func shares() async throws {
        let gate = AdministrationGate()
        let release = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let (refused, order) = (Counter(), Counter())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do throws(DirectoryError) {
                        try await gate.run(of: Gateway.acme) { () async throws(DirectoryError) in
                            for await _ in release.stream {}
                            order.next()
                        }
                    } catch { refused.next() }
                }
            }
            await refused.reaches(36)
            group.addTask {
                do throws(DirectoryError) {
                    let place = try await gate.run(of: BrandID(trusted: "other")) { () async throws(DirectoryError) in
                        order.next()
                    }
                    #expect(place <= 3)
                } catch { Issue.record("\(error)") }
            }
            // One of the others is displaced.
            await refused.reaches(37)
            release.continuation.finish()
        }
        #expect(refused.count == 37 && order.count == 64)
    }
}
