import Foundation
import GatewayClient
import Identity
import Testing

@testable import switchboard

@Suite("A brand's file")
struct BrandFileTests {
    /// Returns the lines of the error that a text causes.
    private func errors(_ text: String, directory: String = "/nonexistent") -> [String] {
        do {
            _ = try BrandFile(text: text, name: "f", directory: directory)
            return []
        } catch {
            let message = (error as? CommandFailure)?.message ?? "\(error)"
            return message.split(separator: "\n").map(String.init)
        }
    }

    @Test(
        "errors name the line and the member",
        arguments: [
            ("brand:\n  id: a\n  nmae: A\n", "f:3: brand.nmae is unknown; did you mean name?"),
            ("brand: {id: a}\nhooks:\n  desk: {kid: x}\n", "f:3: hooks.desk.kid is unknown; did you mean kind?"),
            ("brand: {id: a}\nhooks: {desk: {secret: x}}\n", "f:2: hooks.desk.secret must be {file: PATH}"),
            ("brand: {id: a}\napps:\n  ios:\n    apns: {topc: t}\n", "f:4: apps.ios.apns.topc is unknown; did you"),
            ("brand: {id: a}\ncredentials:\n  - kind: apiKey\n", "f:3: credentials.0 must have a kind and a name"),
            (
                "brand: {id: a}\ncredentials:\n  - {kind: apiKey, name: n}\n  - {kind: apiKey, name: n}\n",
                "f:4: credentials.1 has the kind and the name of an earlier one"
            ),
            ("apps: {}\n", "f:1: brand.id is required"), ("[]\n", "f: must be an object"), ("", "f: is empty"),
            ("brand: {id: a\napps: {}\n", "is not YAML"), ("brand:\n  id: a\n  id: b\n", "appears more than once"),
            ("brand: &b {id: a}\napps: *c\n", "is not YAML: found undefined alias"),
            (
                "brand: {id: a, settings: {webhook: {url: u, secret: whsec_x}}}\n",
                "f:1: brand.settings.webhook.secret must be {file: PATH}: secrets do not belong in this file"
            ),
            (
                "brand: {id: a, settings: {webhook: {url: u, secret: {file: s}}}}\n",
                "f:1: brand.settings.webhook.secret s does not exist"
            ), ("brand: {id: !include x}\n", "f:1: the tag !include is not supported"),
        ]
    )
    func places(text: String, error: String) {
        let errors = errors(text)
        #expect(errors.count == 1 && errors.joined().contains(error), "\(errors)")
        #expect(!errors.joined().contains("whsec_"))
    }

    @Test("all errors of a file are reported at once")
    func several() {
        #expect(errors("brand: {id: a, x: 1, y: 2}\napps: []\n").count == 3)
    }

    @Test("texts that look like other types stay texts")
    func types() throws {
        let text = "a: 22:00\nb: no\nc: 2027-01-01T00:00:00Z\nd: 007\ne: 7\nf: true\ng: '7'\nh: ~\ni: |\n  x\n"
        let value: JSONValue = [
            "a": "22:00", "b": "no", "c": "2027-01-01T00:00:00Z", "d": "007", "e": 7, "f": true, "g": "7", "h": .null,
            "i": "x\n",
        ]
        #expect(try YAMLDocument(text).value == value)
        // Each of them is written in such a way that it is read again.
        #expect(try YAMLDocument(try YAMLText.text(of: value)).value == value)
    }

    @Test("aliases that multiply are refused")
    func aliases() {
        let lines = (1...30).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]" }
        #expect(throws: FileProblem.self) { try YAMLDocument("a0: &a0 x\n" + lines.joined(separator: "\n")) }
    }

    @Test("a secret's file must be readable by its owner only; its text is in bodies and nowhere else")
    func secrets() throws {
        let directory = NSTemporaryDirectory() + "switchboard-brand-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/key.p8"
        let text = "brand: {id: a}\napps:\n  ios: {platform: ios, apns: {privateKey: {file: key.p8}}}\n"
        func write(_ mode: Int) throws {
            try "the key\n".write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        for mode in [0o644, 0o640, 0o604] {
            try write(mode)
            let errors = errors(text, directory: directory)
            #expect(errors.count == 1 && errors.joined().contains("other users can read it"), "\(errors)")
            #expect(errors.joined().contains("f:3: apps.ios.apns.privateKey key.p8"))
        }
        try write(0o600)
        let file = try BrandFile(text: text, name: "f", directory: directory)
        #expect(!file.root.text.contains("the key"))
        let plan = BrandPlan(wanted: file.root, present: BrandState(), prunes: false)
        let step = try #require(plan.steps.last)
        #expect(try file.body(of: step)["apns"]["privateKey"].string == "the key\n")
        #expect(!plan.steps.flatMap(\.lines).joined().contains("the key"))
    }

    @Test(
        "the token of a canary is compared in the form in which the gateway stores it",
        arguments: [("apns", "aabbcc00"), ("fcm", "AABBcc00")]
    )
    func tokens(pushType: String, stored: String) throws {
        let directory = NSTemporaryDirectory() + "switchboard-token-\(UUID().uuidString)"
        try SecretFile.prepare(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try "AABBcc00\n".write(toFile: directory + "/token", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory + "/token")
        let text = """
            brand: {id: a}
            apps:
              x: {platform: ios, canary: {token: {file: token}, pushType: \(pushType), everySeconds: 3600}}
            """
        let file = try BrandFile(text: text, name: "f", directory: directory)
        func plan(_ token: String) -> BrandPlan {
            let canary: JSONValue = [
                "tokenFingerprint": .string(SecretHash.fingerprint(token)), "pushType": .string(pushType),
                "everySeconds": 3600,
            ]
            let app: JSONValue = ["id": "x", "platform": "ios", "canary": canary]
            return BrandPlan(wanted: file.root, present: BrandState(apps: ["x": app]), prunes: false)
        }
        #expect(!plan(stored).steps.contains { $0.kind == .app })
        let step = try #require(plan("ddeeff00").steps.first { $0.kind == .app })
        #expect(try file.body(of: step)["canary"]["token"].string == "AABBcc00")
    }

    @Test("the file of a generated secret stays in its directory, whatever the response names")
    func generated() throws {
        let directory = NSTemporaryDirectory() + "switchboard-secrets-\(UUID().uuidString)"
        try SecretFile.prepare(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // With a combining mark the second slash is another character, but the same byte.
        let path = try SecretFile.create(["secret": "s"], "../../\u{338}evil.json", in: directory)
        #expect(path.hasSuffix("/.._.._\u{338}evil.json"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test("a body that needs a secret of which the file has only the fingerprint is refused")
    func fingerprints() throws {
        let text = "brand: {id: a}\napps: {ios: {apns: {privateKey: {file: no, fingerprint: '12345678'}}}}\n"
        let file = try BrandFile(text: text, name: "f", directory: "/nonexistent")
        let plan = BrandPlan(wanted: file.root, present: BrandState(), prunes: false)
        let step = try #require(plan.steps.last)
        #expect(throws: CommandFailure.self) { try file.body(of: step) }
    }

    @Test("the members of a file are those of the API description")
    func members() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appending(path: "Sources/GatewayHTTP/openapi.yaml")
        let document = try YAMLDocument(try String(contentsOf: path, encoding: .utf8))
        let shapes = [
            "BrandSettings": FileShape.settings, "AppToPut": FileShape.app, "CredentialToCreate": FileShape.credential,
            "HookToPut": FileShape.hook,
        ]
        for (name, shape) in shapes {
            let schema = document.value["components"]["schemas"][name]
            #expect(Set(schema["properties"].members.keys) == shape.names, "\(name)")
        }
    }
}
