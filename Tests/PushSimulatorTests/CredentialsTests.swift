import Cryptography
import Foundation
import HTTP2Connections
import PushSimulator
import Testing

@Suite(.timeLimit(.minutes(10))) struct CredentialsTests {
    /// Runs the body with a folder that does not exist yet, and removes it.
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let result = await Result { try await body(folder) }
        try? FileManager.default.removeItem(atPath: folder)
        try result.get()
    }

    private static func contents(of folder: String) throws -> [String: String] {
        var contents: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            // The only binary file.
            contents[name] =
                name.hasSuffix(".p12") ? bytes.base64EncodedString() : String(decoding: bytes, as: UTF8.self)
        }
        return contents
    }

    @Test("a second start uses the files of the first, and only the token endpoint's address is new")
    func reuse() async throws {
        try await Self.withFolder { folder in
            var configuration = SimulatorConfiguration()
            configuration.control = nil
            configuration.certificates = folder
            let first = try await PushSimulator.start(configuration)
            let before = try Self.contents(of: folder)
            let second = try await PushSimulator.start(configuration)
            let after = try Self.contents(of: folder)
            await first.stop()
            await second.stop()
            #expect(
                Set(after.keys) == [
                    "ca.pem", "ca.key", "server.pem", "server.key", "apns-key.p8", "apns-key.json",
                    "service-account.json", "apns-cert.pem", "apns.p12",
                ]
            )
            for (name, text) in after where name != "service-account.json" { #expect(text == before[name], "\(name)") }
            #expect(second.credentials.accountKeyID == first.credentials.accountKeyID)
            #expect(
                second.credentials.accountKey.pemRepresentation
                    == first.credentials.accountKey.pemRepresentation
            )
            let account = try JSONValue(parsing: Array((after["service-account.json"] ?? "").utf8))
            #expect(account["token_uri"] == .string("https://\(second.fcm)/token"))
            // A given folder outlives the simulator.
            #expect(FileManager.default.fileExists(atPath: folder + "/ca.pem"))
        }
    }

    @Test(
        "keys are not readable by others",
        arguments: ["ca.key", "server.key", "apns-key.p8", "service-account.json", "apns-cert.pem", "apns.p12"]
    )
    func modes(name: String) async throws {
        try await Self.withFolder { folder in
            var configuration = SimulatorConfiguration()
            configuration.control = nil
            configuration.certificates = folder
            let simulator = try await PushSimulator.start(configuration)
            await simulator.stop()
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("a server certificate of another authority is replaced, and clients of the authority are served")
    func strangeCertificate() async throws {
        try await Self.withFolder { folder in
            _ = try SimulatorCredentials(folder: folder)
            let before = try Self.contents(of: folder)
            try FileManager.default.removeItem(atPath: folder + "/ca.pem")
            try await WireClient.run(.with { $0.certificates = folder }) { client async throws in
                #expect(await client.push().status == 200)
            }
            let after = try Self.contents(of: folder)
            #expect(after["ca.pem"] != before["ca.pem"])
            #expect(after["server.pem"] != before["server.pem"])
            #expect(after["apns-cert.pem"] != before["apns-cert.pem"])
            #expect(after["apns.p12"] != before["apns.p12"])
            #expect(after["apns-key.p8"] == before["apns-key.p8"])
        }
    }

    @Test(
        "a damaged key is reported, not replaced",
        arguments: ["apns-key.p8", "apns-key.json", "service-account.json"]
    )
    func damaged(name: String) async throws {
        try await Self.withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try "x".write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
            let error = #expect(throws: SimulatorError.self) { try SimulatorCredentials(folder: folder) }
            #expect(error?.description.contains(name) == true)
        }
    }

    @Test("a temporary folder is removed at the end")
    func temporary() async throws {
        let simulator = try await PushSimulator.start()
        #expect(FileManager.default.fileExists(atPath: simulator.credentials.authorityFile))
        await simulator.stop()
        #expect(!FileManager.default.fileExists(atPath: simulator.credentials.folder))
    }
}
