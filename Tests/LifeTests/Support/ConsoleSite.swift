import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Names and texts of a brand: ordinary ones, or such that are scripts where they are not escaped.
struct ConsoleBrand {
    var id: String
    var name: String
    /// The one with three devices, the one whose push is rejected, and the one of Android.
    var consumers: [String]
    /// Two devices of the first consumer, the second one in two apps; and one each of the others.
    var devices: [String]
    var conversation: String
    var nickname: String
    var text: String
    /// Name, email address and phone number of the first consumer.
    var profile: [String]
    /// The id that FCM gives pushes.
    var providerID: String
    /// The number of messages before the others.
    var more: Int

    static let ordinary = ConsoleBrand(
        id: "acme",
        name: "Acme Parcels",
        consumers: ["u-1", "u-2", "u-3"],
        devices: ["iphone-1", "tablet-7", "iphone-2", "pixel-3"],
        conversation: "orders",
        nickname: "Dana",
        text: "Your parcel is on its way. It arrives on Friday.",
        profile: ["Ann Example", "ann@mail.example", "+15550100"],
        providerID: "projects/",
        more: 0
    )

    static let planted = ConsoleBrand(
        id: "planted",
        name: "<script>planted=0</script>",
        consumers: [
            "<script>planted=1</script>", #""onmouseover="planted=2" x=""#, "<img src=x onerror='planted=3'>",
        ],
        devices: [
            "<script>planted=4</script>", "'onfocus='planted=5' autofocus x='", "<svg onload=planted=6>",
            #""><b onclick="planted=7">"#,
        ],
        conversation: "</td><script>planted=8</script>",
        nickname: "<img src=x onerror=planted=9>",
        text: #"</p><script>planted=10</script><a href="javascript:planted=11">"#,
        profile: [
            "<script>planted=12</script>", #""onmouseover="planted=13"@mail.example"#, "<i onclick='planted=14'>",
        ],
        providerID: #"projects/p/messages/<img src=x onerror="planted=15">"#,
        more: 14
    )
}

/// A gateway and a simulator with two brands, their deliveries, and operators of each role.
struct ConsoleSite {
    static let password = "correct horse battery staple"

    let gateway: GatewayProcess
    private let simulator: SimulatorProcess

    static func start(in directory: TemporaryDirectory) async throws -> ConsoleSite {
        let simulator = try await SimulatorProcess.start(in: directory)
        let gateway = try await GatewayProcess.start(
            in: directory,
            trustRoots: simulator.authority,
            environment: [
                // By this name it is another site than the gateway.
                "SWITCHBOARD_OPERATORS_OIDC_ISSUER": simulator.control.replacing("127.0.0.1", with: "localhost")
                    + "/identity-provider",
                "SWITCHBOARD_OPERATORS_OIDC_CLIENT_ID": "switchboard",
                "SWITCHBOARD_OPERATORS_OIDC_CLIENT_SECRET": "simulator secret",
                "SWITCHBOARD_OPERATORS_OIDC_ROLES": "roles",
            ]
        )
        let site = ConsoleSite(gateway: gateway, simulator: simulator)
        let body = JSONValue.object(["name": .string(ConsoleBrand.planted.providerID)]).text
        try await site.rules([
            [
                "match": ["provider": "apns", "tokenPrefix": "bad0"],
                "do": ["status": 413, "reason": "PayloadTooLarge"],
            ],
            ["match": ["provider": "fcm", "tokenPrefix": "planted"], "do": ["status": 200, "body": .string(body)]],
        ])
        for brand in [ConsoleBrand.ordinary, .planted] { try await site.make(brand) }
        // From now on all is accepted.
        try await site.rules([])
        for (name, role): (String, JSONValue) in [
            ("ada", ["role": "admin"]), ("vera", ["role": "viewer", "brand": "acme"]),
            ("sue", ["role": "support", "brand": "acme"]), ("olga", ["role": "operator", "brand": "acme"]),
        ] {
            let account: JSONValue = ["name": .string(name), "password": .string(password), "roles": [role]]
            _ = try await gateway.admin.call("POST", ["v1", "operators"], body: account)
        }
        return site
    }

    /// Stops both.
    func stop() async throws {
        #expect(try await gateway.process.stop().status == 0)
        #expect(try await simulator.process.stop().status == 0)
    }

    /// Sets the roles of the person who signs in at the identity provider.
    func person(roles: JSONValue) async throws {
        let login: JSONValue = [
            "redirectUris": [.string(gateway.url + "/console/sign-in/oidc/callback")],
            "claims": ["sub": "petra", "roles": roles],
        ]
        _ = try await APIClient(server: simulator.control).call("PUT", ["identity-provider", "login"], body: login)
    }

    private func rules(_ rules: JSONValue) async throws {
        _ = try await APIClient(server: simulator.control).call("PUT", ["rules"], body: rules)
    }

    private func path(_ brand: ConsoleBrand, _ parts: String...) -> [String] { ["v1", "brands", brand.id] + parts }

    private func make(_ brand: ConsoleBrand) async throws {
        let admin = gateway.admin
        let named: JSONValue = ["id": .string(brand.id), "name": .string(brand.name)]
        _ = try await admin.call("POST", ["v1", "brands"], body: named)
        _ = try await admin.call("PUT", path(brand, "apps", "ios"), body: try simulator.iOSAppBody())
        _ = try await admin.call("PUT", path(brand, "apps", "android"), body: try simulator.androidAppBody())
        func register(_ device: Int, of consumer: Int, in app: String, _ token: String) async throws {
            _ = try await admin.call(
                "PUT",
                path(brand, "apps", app, "devices", brand.devices[device]),
                query: [("consumer", brand.consumers[consumer])],
                body: ["token": .string(token), "pushType": app == "ios" ? "apns" : "fcm"]
            )
        }
        let digits = String(format: "%02x", brand.id.utf8.count)
        try await register(0, of: 0, in: "ios", "a0" + String(repeating: digits, count: 31))
        try await register(1, of: 0, in: "ios", "a1" + String(repeating: digits, count: 31))
        try await register(1, of: 0, in: "android", "\(brand.id)-tablet:APA91b0123456789")
        try await register(2, of: 1, in: "ios", "bad0" + String(repeating: digits, count: 30))
        try await register(3, of: 2, in: "android", "\(brand.id)-pixel:APA91b0123456789")
        let profile = zip(["name", "email", "phone"], brand.profile.map { JSONValue.string($0) })
        _ = try await admin.call(
            "PATCH",
            path(brand, "consumers", brand.consumers[0]),
            body: .object(Dictionary(profile) { $1 })
        )
        for number in 0..<(brand.more + 3) { try await post("e-\(number)", to: 0, of: brand) }
        try await post("f-1", to: 1, of: brand)
        try await post("f-2", to: 2, of: brand)
        try await finished(brand, count: 3 * (brand.more + 3) + 2)
    }

    /// Posts a message to a consumer.
    func post(_ id: String, to consumer: Int, of brand: ConsoleBrand) async throws {
        let event: JSONValue = [
            "id": .string(id), "type": "agent.message", "consumer": .string(brand.consumers[consumer]),
            "conversation": .string(brand.conversation), "text": .string(brand.text),
            "agent": ["id": "a-1", "nickname": .string(brand.nickname)],
        ]
        _ = try await gateway.admin.call("POST", path(brand, "events"), body: event)
    }

    /// Sets an objective, and waits until the three pushes of a message count for it.
    func meetObjective(_ brand: ConsoleBrand) async throws {
        let settings: JSONValue = ["settings": ["objective": ["percent": 95, "withinSeconds": 10]]]
        _ = try await gateway.admin.call("PATCH", path(brand), body: settings)
        try await post("o-1", to: 0, of: brand)
        let deadline = ContinuousClock.now + .seconds(180)
        while ContinuousClock.now < deadline {
            let reports = try await gateway.admin.call("GET", path(brand, "objectives")).body["items"].items
            if reports.first?["slow"]["inTime"].integer == 3 { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("waited in vain for pushes that count for the objective of \(brand.id)")
    }

    /// Unregisters the device of Android that is its consumer's only one.
    func unregister(_ brand: ConsoleBrand) async throws {
        _ = try await gateway.admin.call(
            "DELETE",
            path(brand, "apps", "android", "devices", brand.devices[3]),
            query: [("consumer", brand.consumers[2])]
        )
    }

    /// Returns the newest deliveries of a consumer, or of all.
    func deliveries(_ brand: ConsoleBrand, of consumer: Int? = nil) async throws -> [JSONValue] {
        let query = [("consumer", consumer.map { brand.consumers[$0] }), ("limit", "500")]
        return try await gateway.admin.call("GET", path(brand, "deliveries"), query: query).body["items"].items
    }

    /// Waits until there are a number of deliveries of a consumer, or of all, and they are finished.
    func finished(_ brand: ConsoleBrand, of consumer: Int? = nil, count: Int) async throws {
        let unfinished: Set<String> = ["pending", "held", "sending", "retrying"]
        let deadline = ContinuousClock.now + .seconds(180)
        while ContinuousClock.now < deadline {
            let items = try await deliveries(brand, of: consumer)
            if items.count == count, items.allSatisfy({ !unfinished.contains($0["state"].plain) }) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("waited in vain for \(count) deliveries of \(brand.id)")
    }
}
