import Foundation
import GatewayClient
import Testing

@testable import Gateway

@Suite("Data directory")
struct DataDirectoryTests {
    /// Runs a test with an instance in a directory that does not exist yet.
    private static func withInstance(
        _ change: (inout GatewaySettings) -> Void = { _ in },
        _ body: (DataDirectory, String) throws -> Void
    ) throws {
        let parent = NSTemporaryDirectory() + "switchboard-data-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: parent) }
        var settings = GatewaySettings()
        settings.server.dataDir = parent + "/nested/data"
        change(&settings)
        try body(DataDirectory(settings: settings), settings.server.dataDir)
    }

    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test(
        "a directory open to group or others is named, with its mode",
        arguments: [0o700, 0o750, 0o701, 0o755]
    )
    func open(mode: Int) throws {
        try Self.withInstance { instance, path in
            #expect(instance.openDirectories.isEmpty)
            try instance.prepare()
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let open = instance.openDirectories
            #expect(open.count == (mode == 0o700 ? 0 : 1))
            #expect(open.allSatisfy { $0.contains(path) && $0.contains("mode \(String(mode, radix: 8))") })
        }
    }

    @Test("the database's own directory is checked too")
    func openElsewhere() throws {
        let database = NSTemporaryDirectory() + "switchboard-database-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: database)
        defer { try? FileManager.default.removeItem(atPath: database) }
        let change: (inout GatewaySettings) -> Void = { $0.storage.sqlitePath = database + "/data.sqlite" }
        try Self.withInstance(change) { instance, _ in
            try instance.prepare()
            #expect(instance.openDirectories.count == 1)
            #expect(instance.openDirectories.allSatisfy { $0.contains(database) })
        }
    }

    @Test("it is created with mode 0700 and its secrets with 0600, once")
    func first() throws {
        try Self.withInstance { instance, path in
            try instance.prepare()
            #expect(try Self.mode(path) == 0o700)
            let first = try instance.adminToken { "token-one" }
            #expect(first.isNew && first.text == "token-one\n")
            #expect(try Self.mode(path + "/admin-token") == 0o600)
            let again = try instance.adminToken { "token-two" }
            #expect(!again.isNew && again.text == "token-one\n")
            #expect(try instance.masterKey { "key" }.isNew)
            #expect(try Self.mode(path + "/master-key") == 0o600)
            try instance.prepare()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["admin-token", "master-key"]
            )
        }
    }

    @Test("a file that the settings name is never created")
    func named() throws {
        try Self.withInstance {
            $0.server.adminTokenFile = $0.server.dataDir + "/named-token"
            $0.server.masterKeyFile = $0.server.dataDir + "/named-key"
        } _: { instance, path in
            try instance.prepare()
            let token = #expect(throws: CommandFailure.self) { try instance.adminToken { "x" } }
            #expect(token?.status == .usage)
            let key = #expect(throws: CommandFailure.self) { try instance.masterKey { "x" } }
            #expect(key?.status == .masterKey)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        }
    }

    @Test("a missing master key is not created again when there is a database that an old one sealed")
    func keyOfOldData() throws {
        try Self.withInstance { instance, path in
            try instance.prepare()
            try Data().write(to: URL(filePath: instance.databasePath))
            let error = #expect(throws: CommandFailure.self) { try instance.masterKey { "x" } }
            #expect(error?.status == .masterKey && error?.message.contains("kept") == false)
            #expect(!FileManager.default.fileExists(atPath: path + "/master-key"))
            let names = ["master-key.new", "master-key.before-rotation-20260102T030405Z"]
            for name in names { try Data("x".utf8).write(to: URL(filePath: "\(path)/\(name)")) }
            let named = #expect(throws: CommandFailure.self) { try instance.masterKey { "x" } }
            #expect(named?.status == .masterKey)
            for name in names { #expect(named?.message.contains("\(path)/\(name)") == true, "\(named?.message ?? "")") }
        }
    }

    @Test("a file in place of the directory is rejected")
    func fileInstead() throws {
        try Self.withInstance { instance, path in
            let parent = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: path))
            let error = #expect(throws: CommandFailure.self) { try instance.prepare() }
            #expect(error?.status == .data)
        }
    }
}
