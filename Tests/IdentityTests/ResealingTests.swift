import GatewayModel
import GatewayStorage
import Identity
import Synchronization
import Testing

@Suite("Another master key", .timeLimit(.minutes(10)))
struct ResealingTests {
    /// Stores a secret of every kind that is sealed.
    private func fill(_ gateway: Gateway) async throws {
        _ = try await gateway.directory.putApp(
            brand: Gateway.acme,
            app: AppID(trusted: "ios"),
            settings: AppSettings(platform: .ios, apns: Gateway.apns)
        )
        try await gateway.sdkKey("main")
        _ = try await gateway.sealer()
        _ = try await gateway.directory.putHook(
            brand: Gateway.acme,
            id: HookID(trusted: "desk"),
            settings: HookSettings(
                kind: .chatwoot,
                secret: "kx8wYq3vT1mZ5nB7",
                reply: HookSettings.Reply(url: "https://chat.example", accountId: 1, token: "hT4bQ9wLr2Vn8XyK")
            ),
            hasPathSecret: true
        )
        for _ in 0..<3 {
            let edit = WebhookEdit(url: "https://hook.example", types: nil, secret: .renew)
            _ = try await gateway.directory.updateBrand(Gateway.acme) { (brand) throws(DirectoryError) in
                let change = WebhookChange.edit(edit)
                brand.webhook = try gateway.directory.webhook(brand.webhook, changedBy: change, of: brand.id).webhook
            }
        }
    }

    @Test("everything opens with the new key and nothing with the old one, with the same content")
    func everything() async throws {
        try await Gateway.with { gateway in
            try await fill(gateway)
            let new = MasterKey()
            let seen = Mutex<[Int]>([])
            let counts = try await Directory.reseal(
                store: gateway.store,
                from: gateway.key,
                to: new,
                clock: gateway.clock
            ) { count in
                seen.withLock { $0.append(count) }
            }
            #expect(counts.apps == 1 && counts.credentials == 2 && counts.webhookKeys == 3 && counts.hooks == 1)
            #expect(seen.withLock { $0 } == Array(1...7))
            let opened = try await Gateway.load(gateway.store, new, gateway.clock)
            #expect(opened.webhookKeys(brand: Gateway.acme) == gateway.directory.webhookKeys(brand: Gateway.acme))
            #expect(opened.webhookKeys(brand: Gateway.acme).count == 3)
            #expect(opened.hooks(brand: Gateway.acme) == gateway.directory.hooks(brand: Gateway.acme))
            #expect(opened.hooks(brand: Gateway.acme).count == 1)
            #expect(opened.allApps.map(\.settings) == gateway.directory.allApps.map(\.settings))
            #expect(opened.credentials(brand: Gateway.acme) == gateway.directory.credentials(brand: Gateway.acme))
            await #expect(throws: DirectoryError.wrongMasterKey(what: "the webhook of brand acme")) {
                try await gateway.reloaded()
            }
            _ = try await Directory.reseal(store: gateway.store, from: new, to: gateway.key, clock: gateway.clock)
            _ = try await gateway.reloaded()
        }
    }

    @Test("with another key than the one in use nothing is changed, and the first secret that did not open is named")
    func wrongKey() async throws {
        try await Gateway.with { gateway in
            try await fill(gateway)
            await #expect(throws: DirectoryError.wrongMasterKey(what: "app acme/ios")) {
                try await Directory.reseal(
                    store: gateway.store,
                    from: MasterKey(),
                    to: MasterKey(),
                    clock: gateway.clock
                )
            }
            _ = try await gateway.reloaded()
        }
    }
}
