import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Storage")
struct StorageTests {
    private func folder() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    @Test("a file is private to its owner, replaced as a whole, and removed without a rest")
    func file() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("record")
        let storage = FileStorage(url: url)
        #expect(try storage.load() == nil)
        try storage.remove()
        // A rest of a process that ended in between, with other rights.
        try Data("rest".utf8).write(to: URL(fileURLWithPath: url.path + ".new"))
        for size in [0, 1, 70_000] {
            let record = Data(repeating: 7, count: size)
            try storage.save(record)
            #expect(try storage.load() == record)
        }
        let rights = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["record"])
        try storage.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("an error leaves the record before")
    func errors() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let missing = FileStorage(url: folder.appendingPathComponent("no/record"))
        #expect(throws: SwitchboardError.self) { try missing.save(Data()) }
        #expect(try missing.load() == nil)
        let directory = FileStorage(url: folder)
        #expect(throws: (any Error).self) { try directory.load() }
        #expect(throws: SwitchboardError.self) { try directory.save(Data()) }
        #expect(throws: SwitchboardError.self) { try directory.remove() }
    }

    @Test("a login over a file survives a restart")
    func restart() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let gateway = FakeGateway()
        let url = try #require(URL(string: "https://gateway.example/base/"))
        let configuration = ClientConfiguration(serverURL: url, brandID: "acme", appID: "app")
        for _ in 0..<2 {
            let client = SwitchboardClient(
                configuration: configuration,
                storage: FileStorage(url: folder.appendingPathComponent("record")),
                transport: gateway
            )
            try await client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u-1"))))
            _ = try await client.messages()
        }
        #expect(gateway.routes == ["POST sessions", "GET messages", "GET messages"])
        #expect(gateway.calls.first?.request.url.path == "/base/v1/brands/acme/sessions")
    }

    @Test("R79: no file of the folder has a byte of the consumer after a logout", arguments: [false, true])
    func logout(isForced: Bool) async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("record")
        let gateway = FakeGateway()
        let client = SwitchboardClient(
            configuration: await Fixture().client.configuration,
            storage: FileStorage(url: url),
            transport: gateway
        )
        try await client.initialize(.parameters(.init(jwt: FakeGateway.jwt("user-one"))))
        try await client.registerPush(.fcm("push-of-user-one"))
        let device = try #require(await client.deviceID)
        let traces = ["user-one", "session-", device]
        let before = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        #expect(traces.allSatisfy(before.contains))
        if isForced { gateway.failAll(from: 0, .drop) }
        try await client.logout(isForced: isForced)
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            #expect(!traces.contains(where: text.contains))
        }
    }

    @Test("R42 R79: a record with damaged bytes ends no process, and nothing of it is left after a logout")
    func damaged() async throws {
        let whole = Fixture()
        try await whole.loginCopilot("user-one")
        try await whole.client.registerPush(.fcm("push-of-user-one"))
        _ = try await whole.client.unreadCount()
        _ = try await whole.client.getPkceParams(accountID: "account-of-user-one")
        let record = [UInt8](try #require(whole.storage.record))
        let texts = ["9", "e9", "-", ".", "null", "\"", "}", ",", "\u{0}", "é"]
        for seed in 0..<1000 {
            var generator = SeededGenerator(UInt64(seed))
            var bytes = record
            let at = Int.random(in: bytes.indices, using: &generator)
            switch seed % 4 {
            case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &generator)
            case 1: bytes.removeSubrange(at...)
            case 2: bytes.removeSubrange(at..<min(at + Int.random(in: 1...40, using: &generator), bytes.count))
            default: bytes.insert(contentsOf: (texts.randomElement(using: &generator) ?? "").utf8, at: at)
            }
            let fixture = Fixture(storage: FaultyStorage(Data(bytes)))
            // The session of the record.
            _ = fixture.gateway.mint("user-one")
            try await fixture.loginCopilot("user-one")
            let error = await failure { _ = try await fixture.client.unreadCount() }
            #expect(![.general, .disabled, .storage].contains(error?.code), "seed \(seed)")
            try await fixture.client.logout(isForced: true)
            #expect(!fixture.storage.text.contains("user-one"), "seed \(seed)")
        }
    }

    @Test("a stored session that expires beyond every clock is used, and ends no process")
    func farAway() async throws {
        let fixture = Fixture()
        let login = Authentication.parameters(.init(jwt: FakeGateway.jwt("u-1")))
        try await fixture.client.initialize(login)
        _ = try await fixture.client.messages()
        var record = try JSONDecoder().decode(StoredRecord.self, from: #require(fixture.storage.record))
        record.user?.session?.expiresAt = Date(timeIntervalSinceReferenceDate: 1e300)
        try fixture.storage.save(record.encoded())
        let restarted = fixture.restarted()
        try await restarted.client.initialize(login)
        _ = try await restarted.client.messages()
        #expect(fixture.gateway.routes == ["POST sessions", "GET messages", "GET messages"])
    }

    @Test("memory")
    func memory() {
        let storage = MemoryStorage()
        #expect(storage.load() == nil)
        storage.save(Data([1]))
        #expect(storage.load() == Data([1]))
        storage.remove()
        #expect(storage.load() == nil)
    }
}
