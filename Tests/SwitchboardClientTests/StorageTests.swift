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
