import Crypto
import GatewayModel
import GatewayStorage
import Identity
import Testing
import TextFormats

@Suite("Helpdesks' webhooks: the directory and signatures", .timeLimit(.minutes(10)))
struct HookTests {
    private static let desk = HookID(trusted: "desk")
    private static let secret = "kx8wYq3vT1mZ5nB7"
    private static let now = Timestamp(milliseconds: 1_700_000_000_500)
    private static let body = Array(#"{"event":"message_created"}"#.utf8)

    // MARK: Directory

    @Test("a hook is stored sealed, found again after a restart, and deleted")
    func stored() async throws {
        try await Gateway.with { gateway in
            let settings = HookSettings(kind: .chatwoot, secret: Self.secret)
            let (hook, replaced) = try await gateway.directory.putHook(
                brand: Gateway.acme,
                id: Self.desk,
                settings: settings,
                hasPathSecret: false
            )
            #expect(replaced == nil && hook.settings == settings && hook.hasPathSecret(nil) && !hook.hasPathSecret(""))
            #expect(gateway.directory.hook(brand: Gateway.other, id: Self.desk) == nil)
            let bytes = try #require(try await gateway.store.hooks().first).sealedSettings
            #expect(!String(decoding: bytes, as: UTF8.self).contains(Self.secret))
            #expect(try await gateway.reloaded().hook(brand: Gateway.acme, id: Self.desk) == hook)
            try await gateway.directory.deleteHook(brand: Gateway.acme, id: Self.desk)
            #expect(gateway.directory.hooks(brand: Gateway.acme).isEmpty)
            #expect(try await gateway.reloaded().hooks(brand: Gateway.acme).isEmpty)
            await #expect(throws: DirectoryError.notFound) {
                try await gateway.directory.deleteHook(brand: Gateway.acme, id: Self.desk)
            }
        }
    }

    @Test("the path's secret is made once and stays until the hook has none")
    func pathSecret() async throws {
        try await Gateway.with { gateway in
            func put(_ hasPathSecret: Bool) async throws -> DirectoryHook {
                try await gateway.directory.putHook(
                    brand: Gateway.acme,
                    id: Self.desk,
                    settings: HookSettings(kind: .chatwoot),
                    hasPathSecret: hasPathSecret
                ).hook
            }
            let first = try await put(true)
            let secret = try #require(first.settings.pathSecret)
            #expect(StrictBase64.decode(secret.utf8, .url)?.count == 32)
            #expect(first.hasPathSecret(secret) && !first.hasPathSecret(nil) && !first.hasPathSecret(secret + "x"))
            #expect(try await put(true).settings.pathSecret == secret)
            #expect(try await put(false).settings.pathSecret == nil)
            #expect(try await put(true).settings.pathSecret != secret)
        }
    }

    @Test("a brand has a limited number of hooks, and none after its deletion")
    func limit() async throws {
        try await Gateway.with { gateway in
            func put(_ id: String) async throws {
                _ = try await gateway.directory.putHook(
                    brand: Gateway.acme,
                    id: HookID(trusted: id),
                    settings: HookSettings(kind: .chatwoot, secret: Self.secret),
                    hasPathSecret: false
                )
            }
            for index in 1...Directory.maxHooksPerBrand { try await put("h-\(index)") }
            await #expect(throws: DirectoryError.tooManyHooks) { try await put("one-more") }
            try await put("h-1")
            try await gateway.directory.deleteBrand(Gateway.acme)
            #expect(gateway.directory.hooks(brand: Gateway.acme).isEmpty)
            #expect(try await gateway.store.hooks().isEmpty)
        }
    }

    // MARK: Signatures

    private static func hexadecimal(_ text: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(text.utf8),
            using: SymmetricKey(data: Array(secret.utf8))
        )
        return "sha256=" + Hexadecimal.text(code)
    }

    private static func failure(
        _ settings: HookSettings,
        _ headers: [String: String],
        _ body: [UInt8] = HookTests.body
    ) -> HookSignature.Failure? {
        do throws(HookSignature.Failure) {
            try HookSignature.read(settings) { name in headers.first { $0.key.lowercased() == name }?.value }?.verify(
                body,
                now: now
            )
            return nil
        } catch { return error }
    }

    private static func chatwoot(_ seconds: Int64, of text: String? = nil) -> [String: String] {
        let body = text ?? String(decoding: body, as: UTF8.self)
        return [
            "X-Chatwoot-Timestamp": String(seconds), "X-Chatwoot-Signature": hexadecimal("\(seconds).\(body)"),
        ]
    }

    @Test("Chatwoot signs its time and the body; five minutes on either side are valid")
    func chatwoot() throws {
        let settings = HookSettings(kind: .chatwoot, secret: Self.secret)
        let seconds = Self.now.seconds
        for offset: Int64 in [0, -300, 300] {
            #expect(Self.failure(settings, Self.chatwoot(seconds + offset)) == nil)
        }
        for offset: Int64 in [-301, 301] {
            #expect(Self.failure(settings, Self.chatwoot(seconds + offset)) == .expired)
        }
        #expect(Self.failure(settings, Self.chatwoot(.min)) == .expired)
        #expect(Self.failure(settings, Self.chatwoot(seconds), Self.body + [0x20]) == .wrong)
        let other = HookSettings(kind: .chatwoot, secret: Self.secret + "x")
        #expect(Self.failure(other, Self.chatwoot(seconds)) == .wrong)
        var later = Self.chatwoot(seconds)
        later["X-Chatwoot-Timestamp"] = String(seconds + 1)
        #expect(Self.failure(settings, later) == .wrong)
        for (name, value) in [
            ("X-Chatwoot-Timestamp", "now"), ("X-Chatwoot-Signature", ""), ("X-Chatwoot-Signature", "sha256=00"),
            ("X-Chatwoot-Signature", String(repeating: "0", count: 71)),
        ] {
            var headers = Self.chatwoot(seconds)
            headers[name] = value
            #expect(Self.failure(settings, headers) == .missing, "\(name): \(value)")
        }
        #expect(Self.failure(settings, [:]) == .missing)
        #expect(Self.failure(HookSettings(kind: .chatwoot, pathSecret: "p"), [:]) == nil, "it does not sign")
    }

    @Test("Standard Webhooks may have several signatures, of which one must be right")
    func standard() throws {
        let secret = WebhookSecret()
        let settings = HookSettings(kind: .generic, secret: secret.text)
        let right = secret.signature(of: Self.body, id: "msg-1", at: Self.now)
        let wrong = WebhookSecret().signature(of: Self.body, id: "msg-1", at: Self.now)
        func headers(_ signature: String) -> [String: String] {
            [
                "webhook-id": "msg-1", "webhook-timestamp": String(Self.now.seconds), "webhook-signature": signature,
            ]
        }
        #expect(Self.failure(settings, headers(right)) == nil)
        #expect(Self.failure(settings, headers(wrong + " " + right)) == nil)
        for signature in [wrong, "v1a,x", "v1,", "", right.replacing("v1,", with: "v2,")] {
            #expect(Self.failure(settings, headers(signature)) == .wrong, "\(signature)")
        }
        var other = headers(right)
        other["webhook-id"] = "msg-2"
        #expect(Self.failure(settings, other) == .wrong)
        other["webhook-id"] = nil
        #expect(Self.failure(settings, other) == .missing)
    }

    @Test("a header of the brand's choice signs the body alone")
    func ownHeader() {
        let settings = HookSettings(kind: .generic, secret: Self.secret, signatureHeader: "X-Desk-Signature")
        let signature = Self.hexadecimal(String(decoding: Self.body, as: UTF8.self))
        #expect(Self.failure(settings, ["X-Desk-Signature": signature]) == nil)
        #expect(Self.failure(settings, ["X-Desk-Signature": signature.uppercased()]) == .missing)
        #expect(Self.failure(settings, ["X-Desk-Signature": signature], []) == .wrong)
        #expect(Self.failure(settings, [:]) == .missing)
    }
}
