import GatewayClient
import Testing

@testable import switchboard

@Suite("Plan of a brand's file")
struct BrandPlanTests {
    private static let fingerprint: JSONValue = ["fingerprint": "11112222"]

    private static let app: JSONValue = [
        "platform": "ios",
        "apns": ["teamId": "TEAM000001", "keyId": "KEY0000001", "topic": "com.example.app", "privateKey": fingerprint],
        "links": ["host": "Go.Example.com", "paths": ["/*"], "ios": ["appIds": ["TEAM000001.com.example.app"]]],
    ]

    /// The response for the same app.
    private static let appResponse: JSONValue = [
        "id": "ios", "platform": "ios", "endpointsBy": "admin", "updatedAt": "2026-01-01T00:00:00.000Z",
        "apns": [
            "teamId": "TEAM000001", "keyId": "KEY0000001", "topic": "com.example.app",
            "privateKeyFingerprint": "11112222",
        ],
        "links": ["host": "go.example.com", "paths": ["/*"], "ios": ["appIds": ["TEAM000001.com.example.app"]]],
    ]

    private static let credential: JSONValue = [
        "kind": "serviceAccount", "name": "crm", "scopes": ["events:write", "events:read"],
    ]

    private static func response(_ credential: JSONValue, _ id: String) -> JSONValue {
        let extra: [String: JSONValue] = [
            "id": .string(id), "expiresAt": .null, "createdAt": "2026-01-01T00:00:00.000Z",
        ]
        return .object(credential.members.merging(extra) { $1 })
    }

    private static func state(
        _ settings: [String: JSONValue] = [:],
        apps: [String: JSONValue] = [:],
        credentials: [JSONValue] = []
    ) -> BrandState {
        var all = BrandState.defaults
        all["webhook"] = JSONValue.null
        for (name, value) in settings { all[name] = value }
        return BrandState(
            brand: ["id": "acme", "name": "Acme", "settings": .object(all)],
            apps: apps,
            credentials: credentials
        )
    }

    private static func file(
        _ settings: JSONValue = [:],
        apps: JSONValue = .null,
        credentials: JSONValue = .null
    ) -> JSONValue {
        ["brand": ["id": "acme", "name": "Acme", "settings": settings], "apps": apps, "credentials": credentials]
    }

    private static func lines(_ wanted: JSONValue, _ present: BrandState, prunes: Bool = false) -> [String] {
        BrandPlan(wanted: wanted, present: present, prunes: prunes).steps.flatMap(\.lines)
    }

    @Test("a brand that does not exist is created before its apps, and these before the credentials")
    func creation() {
        let wanted = Self.file(["retentionDays": 7], apps: ["ios": Self.app], credentials: [Self.credential])
        let plan = BrandPlan(wanted: wanted, present: BrandState(), prunes: true)
        #expect(plan.steps.map(\.subject) == ["brand acme", "app ios", "credential serviceAccount crm"])
        #expect(plan.steps.allSatisfy { $0.action == .create } && plan.kept.isEmpty && plan.problems.isEmpty)
        #expect(plan.steps[1].lines.contains("    apns.privateKey: set"))
        #expect(plan.steps.map(\.returnsSecret) == [false, false, true])
    }

    @Test("what is as the file describes it needs no step, in whatever form the gateway returns it")
    func nothing() {
        let settings: JSONValue = [
            "linkHosts": ["Go.Example.com"], "retentionDays": .null,
            "wire": ["copilot": true, "ccai": .null, "liveperson": false, "gorush": .null],
            "quietHours": ["from": "22:00", "to": "06:00", "timeZone": "Europe/Berlin"],
            "webhook": ["url": "https://h.example", "secret": Self.fingerprint], "templates": [:],
        ]
        let present = Self.state(
            [
                "linkHosts": ["go.example.com"],
                "wire": [
                    "copilot": true, "ccai": false, "talkdesk": false, "bloomreach": false, "liveperson": false,
                    "gorush": false,
                ],
                "quietHours": ["from": "22:00", "to": "06:00", "timeZone": "Europe/Berlin", "mode": "held"],
                "webhook": ["url": "https://h.example", "secretFingerprint": "11112222"],
            ],
            apps: ["ios": Self.appResponse],
            credentials: [
                Self.response(Self.credential, "1"),
                Self.response(
                    ["kind": "serviceAccount", "name": "crm", "scopes": ["events:read", "events:write"]],
                    "2"
                ),
            ]
        )
        let wanted = Self.file(settings, apps: ["ios": Self.app], credentials: [Self.credential])
        let plan = BrandPlan(wanted: wanted, present: present, prunes: true)
        #expect(plan.steps.isEmpty && plan.kept.isEmpty && plan.problems.isEmpty, "\(plan)")
    }

    @Test("only members that differ are shown and put, and of secrets only that they differ")
    func changes() throws {
        let present = Self.state(
            ["retentionDays": 5, "webhook": ["url": "https://h.example", "secretFingerprint": "aaaabbbb"]],
            apps: ["ios": Self.appResponse]
        )
        let settings: JSONValue = [
            "retentionDays": 7, "preview": "full", "webhook": ["url": "https://h.example", "secret": Self.fingerprint],
        ]
        var app = Self.app.members
        app["links"] = .null
        let wanted = Self.file(settings, apps: ["ios": .object(app)])
        let plan = BrandPlan(wanted: wanted, present: present, prunes: false)
        #expect(
            plan.steps.flatMap(\.lines) == [
                "~ brand acme", "    settings.retentionDays: 5 -> 7", "    settings.webhook.secret: changed",
                "~ app ios", "    links.host: \"go.example.com\" -> none",
                "    links.ios.appIds: [\"TEAM000001.com.example.app\"] -> none", "    links.paths: [\"/*\"] -> none",
            ]
        )
        let body = try #require(plan.steps.first).body["settings"]
        #expect(Set(body.members.keys) == ["retentionDays", "webhook"])
        #expect(body["webhook"]["secret"] == Self.fingerprint)
    }

    @Test("an app with a push proxy is as its file describes it, and so is its export; its secrets stay apart")
    func pushProxy() throws {
        let wanted: JSONValue = [
            "platform": "android",
            "pushProxy": [
                "url": "https://push.example.com/lp", "basic": ["username": "acme", "password": Self.fingerprint],
                "headers": ["Tenant": ["fingerprint": "aaaabbbb"]],
            ],
        ]
        let response: JSONValue = [
            "id": "android", "platform": "android", "endpointsBy": "admin", "updatedAt": "2026-01-01T00:00:00.000Z",
            "pushProxy": [
                "url": "https://push.example.com/lp",
                "basic": ["username": "acme", "passwordFingerprint": "11112222"],
                "headers": ["TenantFingerprint": "aaaabbbb"],
            ],
        ]
        let present = Self.state(apps: ["android": response])
        #expect(Self.lines(Self.file(apps: ["android": wanted]), present).isEmpty)
        let other: JSONValue = ["platform": "android", "pushProxy": ["url": "https://push.example.com/lp"]]
        #expect(
            Self.lines(Self.file(apps: ["android": other]), present) == [
                "~ app android", "    pushProxy.basic.password: removed",
                "    pushProxy.basic.username: \"acme\" -> none", "    pushProxy.headers.Tenant: removed",
            ]
        )
        let header: JSONValue = ["file": "secrets/android-pushProxy-headers-Tenant", "fingerprint": "aaaabbbb"]
        #expect(present.exported["apps"]["android"]["pushProxy"]["headers"]["Tenant"] == header)
        let text = try YAMLText.text(of: present.exported)
        let file = try BrandFile(text: text, name: "brand.yaml", directory: "/nonexistent")
        #expect(Self.lines(file.root, present, prunes: true).isEmpty, "\(text)")
    }

    @Test("an app's canary is as its file describes it, and so is its export; its token stays apart")
    func canary() throws {
        let wanted: JSONValue = [
            "platform": "ios", "canary": ["token": Self.fingerprint, "pushType": "apns", "everySeconds": 3600],
        ]
        let response: JSONValue = [
            "id": "ios", "platform": "ios", "endpointsBy": "admin", "updatedAt": "2026-01-01T00:00:00.000Z",
            "canary": ["tokenFingerprint": "11112222", "pushType": "apns", "everySeconds": 3600],
        ]
        let present = Self.state(apps: ["ios": response])
        #expect(Self.lines(Self.file(apps: ["ios": wanted]), present).isEmpty)
        let token: JSONValue = ["file": "secrets/ios-canary-token", "fingerprint": "11112222"]
        #expect(present.exported["apps"]["ios"]["canary"]["token"] == token)
        let text = try YAMLText.text(of: present.exported)
        let file = try BrandFile(text: text, name: "brand.yaml", directory: "/nonexistent")
        #expect(Self.lines(file.root, present, prunes: true).isEmpty, "\(text)")
    }

    @Test("what the file does not have is kept and listed, and removed only by pruning")
    func pruning() {
        let present = Self.state(
            ["retentionDays": 5],
            apps: ["ios": Self.appResponse, "old": Self.appResponse],
            credentials: [Self.response(["kind": "apiKey", "name": "old"], "api_1")]
        )
        let wanted = Self.file(apps: ["ios": Self.app], credentials: [])
        let plan = BrandPlan(wanted: wanted, present: present, prunes: false)
        #expect(plan.steps.isEmpty)
        #expect(plan.kept.map(\.subject) == ["brand acme", "credential apiKey old (api_1)", "app old"])
        let pruned = BrandPlan(wanted: wanted, present: present, prunes: true)
        #expect(pruned.steps.map(\.subject) == plan.kept.map(\.subject) && pruned.kept.isEmpty)
        let reset: JSONValue = ["settings": ["retentionDays": .null]]
        #expect(pruned.steps.first?.body == reset)
        // A section that the file does not have is not its business.
        let sections: JSONValue = ["brand": ["id": "acme"]]
        #expect(Self.lines(sections, present, prunes: true).isEmpty)
    }

    @Test("hosts of links are given before the apps are put, and taken afterwards")
    func linkHosts() {
        let present = Self.state(["linkHosts": ["a.example"]])
        let wanted = Self.file(["linkHosts": ["b.example"]], apps: ["ios": Self.app])
        let plan = BrandPlan(wanted: wanted, present: present, prunes: false)
        #expect(plan.steps.map(\.subject) == ["brand acme", "app ios", "brand acme"])
        let bodies: [JSONValue?] = [["a.example", "b.example"], ["b.example"]]
        #expect([plan.steps.first, plan.steps.last].map { $0?.body["settings"]["linkHosts"] } == bodies)
        let taken = BrandPlan(wanted: Self.file(["linkHosts": []]), present: present, prunes: false)
        #expect(taken.steps.map { $0.body["settings"]["linkHosts"] } == [.array([])])
    }

    @Test("a credential that differs gets another one beside it; an SDK key needs another name")
    func credentials() {
        let old: JSONValue = ["kind": "serviceAccount", "name": "crm", "scopes": ["events:write"]]
        let key: JSONValue = ["kind": "sdkKey", "name": "web", "algorithm": "HS256"]
        let present = Self.state(credentials: [Self.response(old, "sa_1"), Self.response(key, "sdk_1")])
        let changed = BrandPlan(wanted: Self.file(credentials: [Self.credential, key]), present: present, prunes: true)
        #expect(changed.steps.map(\.action) == [.create, .delete] && changed.steps.last?.id == "sa_1")
        let other: JSONValue = ["kind": "sdkKey", "name": "web", "algorithm": "HS384"]
        let plan = BrandPlan(wanted: Self.file(credentials: [other]), present: present, prunes: false)
        #expect(plan.steps.isEmpty && plan.problems.map(\.path) == [["credentials", "0"]])
    }

    @Test("the texts of campaigns, and a login system that is marked as a back-end's, are those of the file")
    func campaigns() throws {
        let issuer: JSONValue = [
            "kind": "jwtIssuer", "name": "platform", "issuer": "i", "algorithm": "ES256",
            "jwksUrl": "https://i.example/jwks", "maxLifetimeSeconds": .integer(60), "singleUse": false,
        ]
        let backend = JSONValue.object(issuer.members.merging(["backend": true]) { $1 })
        let texts: JSONValue = ["campaignTemplates": ["H-1": "Hi {{1}}"]]
        let present = Self.state(texts.members, credentials: [Self.response(backend, "jwt_1")])
        #expect(Self.lines(Self.file(texts, credentials: [backend]), present, prunes: true).isEmpty)
        let changed = Self.lines(Self.file(["campaignTemplates": ["H-2": "Bye"]]), present)
        #expect(changed.contains("    settings.campaignTemplates.H-1: \"Hi {{1}}\" -> none"), "\(changed)")
        #expect(changed.contains("    settings.campaignTemplates.H-2: \"Bye\""), "\(changed)")
        // What opens consumers' sessions is another credential.
        let unmarked = JSONValue.object(issuer.members.merging(["backend": false]) { $1 })
        let plan = BrandPlan(wanted: Self.file(credentials: [unmarked]), present: present, prunes: true)
        #expect(plan.steps.filter { $0.subject.contains("jwtIssuer") }.map(\.action) == [.create, .delete])
        let text = try YAMLText.text(of: present.exported)
        let file = try BrandFile(text: text, name: "brand.yaml", directory: "/nonexistent")
        #expect(Self.lines(file.root, present, prunes: true).isEmpty, "\(text)")
    }

    @Test("an exported brand is as its file describes it")
    func export() throws {
        let present = Self.state(
            [
                "retentionDays": 5, "webhook": ["url": "https://h.example", "secretFingerprint": "01234567"],
                "allowedOrigins": ["https://shop.example.com:8443"], "showExpiredProactive": true,
            ],
            apps: ["ios": Self.appResponse],
            credentials: [Self.response(Self.credential, "sa_1")]
        )
        let text = try YAMLText.text(of: present.exported)
        #expect(text.contains("file: secrets/ios-apns-privateKey") && text.contains("\"01234567\""), "\(text)")
        let file = try BrandFile(text: text, name: "brand.yaml", directory: "/nonexistent")
        #expect(Self.lines(file.root, present, prunes: true).isEmpty, "\(text)")
    }

    // MARK: Hooks

    private static let hook: JSONValue = [
        "kind": "generic", "secret": fingerprint, "pathSecret": false,
        "mapping": [
            "filter": ["/type": ["reply"]],
            "event": [
                "type": "agent.message", "consumer": ["pointer": "/user"], "data": ["path": "p", "createdAt": 5],
            ],
        ],
    ]

    /// The response for the same hook.
    private static let hookResponse: JSONValue = .object(
        hook.members.filter { $0.key != "secret" }.merging([
            "id": "desk", "path": "/v1/hooks/acme/desk", "secretFingerprint": "11112222",
            "updatedAt": "2026-01-01T00:00:00.000Z",
        ]) { $1 }
    )

    private static func hooks(_ hooks: JSONValue) -> JSONValue {
        .object(file().members.merging(["hooks": hooks]) { $1 })
    }

    @Test("hooks are created, changed, kept and pruned like apps; as the gateway returns them they need no step")
    func hooks() throws {
        var present = Self.state()
        let created = BrandPlan(wanted: Self.hooks(["desk": Self.hook]), present: present, prunes: true)
        #expect(created.steps.map(\.subject) == ["hook desk"] && created.steps.first?.action == .create)
        #expect(created.steps.first?.returnsSecret == false)
        present.hooks = ["desk": Self.hookResponse]
        #expect(BrandPlan(wanted: Self.hooks(["desk": Self.hook]), present: present, prunes: true).steps.isEmpty)
        var other = Self.hook.members
        other["secret"] = ["fingerprint": "33334444"]
        other["mapping"] = ["event": ["type": "agent.message", "consumer": ["pointer": "/id"]]]
        let changed = BrandPlan(wanted: Self.hooks(["desk": .object(other)]), present: present, prunes: false)
        #expect(changed.steps.map(\.action) == [.change])
        #expect(changed.steps.flatMap(\.lines).contains("    secret: changed"))
        #expect(changed.steps.flatMap(\.lines).contains("    mapping.event.consumer.pointer: \"/user\" -> \"/id\""))
        let kept = BrandPlan(wanted: Self.hooks([:]), present: present, prunes: false)
        #expect(kept.steps.isEmpty && kept.kept.map(\.subject) == ["hook desk"])
        let pruned = BrandPlan(wanted: Self.hooks([:]), present: present, prunes: true)
        #expect(pruned.steps.map(\.subject) == ["hook desk"] && pruned.steps.first?.action == .delete)
        #expect(BrandPlan(wanted: Self.file(), present: present, prunes: true).steps.isEmpty, "not managed")
    }

    @Test("the secret of a hook's path is kept in a file, when the gateway makes one")
    func pathSecrets() {
        let wanted = Self.hooks(["old": ["kind": "chatwoot", "pathSecret": true]])
        var present = Self.state()
        #expect(BrandPlan(wanted: wanted, present: present, prunes: false).steps.map(\.returnsSecret) == [true])
        let response: JSONValue = ["id": "old", "kind": "chatwoot", "path": "/v1/hooks/acme/old", "pathSecret": true]
        present.hooks = ["old": response]
        #expect(BrandPlan(wanted: wanted, present: present, prunes: false).steps.isEmpty)
    }

    @Test("an exported hook names the file of its secret, and its mapping is the brand's own")
    func exportedHook() {
        var present = Self.state()
        present.hooks = ["desk": Self.hookResponse]
        let hook = present.exported["hooks"]["desk"]
        #expect(hook["secret"] == ["file": "secrets/hook-desk-secret", "fingerprint": "11112222"])
        #expect(hook["mapping"] == Self.hook["mapping"] && hook["path"] == .null && hook["id"] == .null)
        #expect(hook["kind"] == "generic" && hook["pathSecret"] == .null)
    }

    @Test("the token of a hook's replies is a secret of its own")
    func hookReply() {
        func reply(_ token: JSONValue) -> JSONValue {
            ["url": "https://chat.example", "accountId": 3, "token": token]
        }
        let wanted: JSONValue = [
            "kind": "chatwoot", "secret": Self.fingerprint, "reply": reply(["fingerprint": "5555"]),
        ]
        var present = Self.state()
        var response = wanted.members
        response["secret"] = nil
        response["secretFingerprint"] = Self.fingerprint["fingerprint"]
        response["reply"] = ["url": "https://chat.example", "accountId": 3, "tokenFingerprint": "5555"]
        present.hooks = ["chat": .object(response)]
        #expect(BrandPlan(wanted: Self.hooks(["chat": wanted]), present: present, prunes: true).steps.isEmpty)
        var other = wanted.members
        other["reply"] = reply(["fingerprint": "6666"])
        let changed = BrandPlan(wanted: Self.hooks(["chat": .object(other)]), present: present, prunes: false)
        #expect(changed.steps.flatMap(\.lines).contains("    reply.token: changed"))
        other["reply"] = nil
        let removed = BrandPlan(wanted: Self.hooks(["chat": .object(other)]), present: present, prunes: false)
        #expect(removed.steps.map(\.action) == [.change])
        let exported = present.exported["hooks"]["chat"]["reply"]
        #expect(exported == reply(["file": "secrets/hook-chat-reply-token", "fingerprint": "5555"]))
    }
}
