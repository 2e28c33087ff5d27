import GatewayModel
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import GatewayHTTP

/// Attacks with a known device id, which appears in paths and in the query of windows.
@Suite("Knowing a device's id gives no access", .timeLimit(.minutes(10)))
struct EavesdroppingTests {
    private static let sessions = "/v1/brands/acme/sessions"
    private static let spysToken = "badbad00"
    private static let ownToken = "aabbccdd"

    /// The authentication method of the victim.
    enum Login: CaseIterable, Sendable {
        case assertion, exchange, minted
    }

    private static func run(_ test: @escaping @Sendable (API) async throws -> Void) async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand("acme", #","anonymousConsumers":true"#)
            try await test(api)
        }
    }

    private static func token(_ reply: Reply) throws -> String {
        try #require((reply["sessionToken"] ?? reply["auth_token"])?.string, "\(reply.text)")
    }

    private static func session(_ reply: Reply) throws -> Credential { .bearer(try token(reply)) }

    private static func guest(_ api: API, _ device: String?, brand: String = "acme") async throws -> Reply {
        let more = device.map { #","deviceId":"\#($0)""# } ?? ""
        return try await api.call(.post, "/v1/brands/\(brand)/sessions", as: .none, #"{"grant":"anonymous"\#(more)}"#)
    }

    private static func logIn(
        _ api: API,
        _ consumer: String = "victim",
        by login: Login = .assertion,
        device: String? = "d-1",
        anonymous shown: String? = nil,
        more: String = ""
    ) async throws -> Reply {
        let token = api.token(api.claims(#","identifier":"\#(consumer)""#))
        switch login {
        case .assertion:
            let device = device.map { #","deviceId":"\#($0)""# } ?? ""
            let anonymous = shown.map { #","anonymousToken":"\#($0)""# } ?? ""
            return try await api.call(
                .post,
                sessions,
                as: .none,
                #"{"grant":"assertion","token":"\#(token)","sdkKeyName":"acme"\#(device)\#(anonymous)\#(more)}"#
            )
        case .exchange:
            let device = device.map { #","device_id":"\#($0)""# } ?? ""
            return try await api.exchange(token, device + (shown.map { #","anonymous_token":"\#($0)""# } ?? ""))
        case .minted:
            return try await api.call(
                .post,
                "/v1/brands/acme/consumers/\(consumer)/sessions",
                device.map { #"{"deviceId":"\#($0)"}"# }
            )
        }
    }

    /// Returns the fingerprints of the tokens that a message to a consumer is sent to.
    private static func receivers(_ api: API, _ event: String, of consumer: String = "victim") async throws -> [String]
    {
        let posted = try await api.post(event, consumer: consumer, conversation: "c-\(consumer)")
        let devices = try await api.call(.get, "/v1/brands/acme/consumers/\(consumer)/devices")
        let found = try devices.json()["items"]?.items.compactMap { $0["tokenFingerprint"]?.string } ?? []
        #expect(posted["deliveries"]?.int == found.count, "\(devices.text)")
        return found
    }

    private static func fingerprints(_ tokens: String...) -> [String] { tokens.map(DeviceToken.fingerprint) }

    // MARK: The anonymous merge

    @Test("a registration that an anonymous session planted does not follow another login", arguments: Login.allCases)
    func planted(_ login: Login) async throws {
        try await Self.run { api in
            let spy = try Self.session(try await Self.guest(api, "d-1"))
            #expect(try await api.register("d-1", as: spy, token: Self.spysToken).status == 201)
            let made = try await Self.logIn(api, by: login)
            #expect(made["merged"]?.bool == false, "\(made.text)")
            let victim = try Self.session(made)
            #expect(try await Self.receivers(api, "1").isEmpty)
            // The device id is taken; the device registers with another id, and the spy's token stays the spy's.
            let taken = try await api.register("d-1", as: victim, token: Self.ownToken)
            taken.expectProblem(409, "conflict")
            #expect(!taken.text.contains(Self.spysToken))
            let again = try Self.session(try await Self.logIn(api, by: login, device: nil))
            #expect(try await api.register("d-1-b", as: again, token: Self.ownToken).status == 201)
            #expect(try await Self.receivers(api, "2") == Self.fingerprints(Self.ownToken))
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: spy)["unread"]?.int == 0)
        }
    }

    @Test("a planted registration does not follow where the victim was anonymous and presents its own session's token")
    func plantedBeside() async throws {
        try await Self.run { api in
            let own = try await Self.guest(api, "d-1")
            #expect(try await api.register("d-1", as: try Self.session(own), token: Self.ownToken).status == 201)
            let spy = try Self.session(try await Self.guest(api, "d-1"))
            try await api.register("d-1", as: spy, token: Self.spysToken).expectProblem(409, "conflict")
            let victim = try Self.session(try await Self.logIn(api, anonymous: try Self.token(own)))
            #expect(try await Self.receivers(api, "1") == Self.fingerprints(Self.ownToken))
            // It renews its own without proof.
            #expect(try await api.register("d-1", as: victim, token: "aabbccee").status == 200)
            #expect(try await Self.receivers(api, "2") == Self.fingerprints("aabbccee"))
        }
    }

    @Test("where a brand merges by device, the other devices of the merged consumer do not follow")
    func byDevice() async throws {
        try await Self.run { api in
            let settings = #"{"settings":{"anonymousMerge":"device"}}"#
            #expect(try await api.call(.patch, "/v1/brands/acme", settings).status == 200)
            // One anonymous consumer with a session and a registration on each of two devices.
            let spy = try await Self.guest(api, "d-1")
            let id = try #require(spy["consumer"]?["id"]?.string)
            let elsewhere = try Self.session(
                try await api.call(
                    .post,
                    "/v1/brands/acme/consumers/\(id)/sessions",
                    #"{"deviceId":"spy"}"#
                )
            )
            #expect(try await api.register("spy", as: elsewhere, token: Self.spysToken).status == 201)
            let made = try await Self.logIn(api)
            #expect(made["merged"]?.bool == true, "\(made.text)")
            #expect(try await Self.receivers(api, "1").isEmpty)
        }
    }

    /// A value that is sent as `anonymousToken` and proves nothing.
    enum NoProof: CaseIterable, Sendable {
        case loggedOut, loggedOutFromAfar, anotherBrand, expiredTooLong, named, alreadyMerged, invented, ofTheDevice
    }

    @Test(
        "a value that is not a valid token of an anonymous session is ignored: the login succeeds and merges nobody",
        arguments: NoProof.allCases,
        [Login.assertion, .exchange]
    )
    func noProof(_ kind: NoProof, _ login: Login) async throws {
        try await Self.run { api in
            let guest = try await Self.guest(api, "d-1")
            var shown = try Self.token(guest)
            let id = try #require(guest["consumer"]?["id"]?.string)
            try await api.post("early", consumer: id, conversation: "c-guest")
            switch kind {
            case .loggedOut:
                let path = Self.sessions + "/current?unregister=none"
                #expect(try await api.call(.delete, path, as: .bearer(shown)).status == 204)
            case .loggedOutFromAfar:
                let path = "/v1/brands/acme/consumers/\(id)/sessions?unregister=none"
                #expect(try await api.call(.delete, path).status == 204)
            case .anotherBrand:
                try await api.makeBrand("other", settings: #"{"anonymousConsumers":true}"#)
                shown = try Self.token(try await Self.guest(api, "d-1", brand: "other"))
            case .expiredTooLong: api.clock.advance(seconds: 3600 + 7 * 86_400 + 1)
            case .named: shown = try Self.token(try await Self.logIn(api, "somebody"))
            case .alreadyMerged: #expect(try await Self.logIn(api, "u-2", anonymous: shown)["merged"]?.bool == true)
            case .invented: shown = "sbs_" + String(repeating: "A", count: 59)
            case .ofTheDevice: shown = "d-1"
            }
            let made = try await Self.logIn(api, by: login, anonymous: shown)
            #expect([200, 201].contains(made.status) && made["merged"]?.bool == false, "\(made.text)")
            let unread = try await api.call(.get, "/v1/brands/acme/unread", as: try Self.session(made))
            #expect(unread["unread"]?.int == 0)
        }
    }

    @Test("the expired token of an anonymous session still proves a merge for the brand's days")
    func expired() async throws {
        try await Self.run { api in
            let guest = try await Self.guest(api, "d-1")
            let id = try #require(guest["consumer"]?["id"]?.string)
            try await api.post("early", consumer: id, conversation: "c-guest")
            api.clock.advance(seconds: 3600 + 7 * 86_400)
            let made = try await Self.logIn(api, anonymous: try Self.token(guest))
            #expect(made["merged"]?.bool == true, "\(made.text)")
            let unread = try await api.call(.get, "/v1/brands/acme/unread", as: try Self.session(made))
            #expect(unread["unread"]?.int == 1)
            let second = try await Self.guest(api, "d-2")
            api.clock.advance(seconds: 3600 + 86_401)
            let settings = #"{"settings":{"anonymousMergeDays":1}}"#
            #expect(try await api.call(.patch, "/v1/brands/acme", settings).status == 200)
            #expect(try await Self.logIn(api, anonymous: try Self.token(second))["merged"]?.bool == false)
        }
    }

    // MARK: Another consumer's device

    @Test("a session that names another's device neither ends nor takes its registration", arguments: Login.allCases)
    func others(_ login: Login) async throws {
        try await Self.run { api in
            let victim = try Self.session(try await Self.logIn(api))
            #expect(try await api.register("d-1", as: victim, token: Self.ownToken).status == 201)
            for device in ["d-1", nil] {
                let made = try await Self.logIn(api, "stranger", by: login, device: device)
                let stranger = try Self.session(made)
                for proof in ["", #","currentToken":"\#(Self.spysToken)""#, #","currentToken":null"#] {
                    let reply = try await api.register("d-1", as: stranger, token: Self.spysToken, more: proof)
                    reply.expectProblem(409, "conflict")
                }
                try await api.call(.get, "/v1/brands/acme/apps/ios/devices/d-1", as: stranger)
                    .expectProblem(404, "not_found")
                #expect(try await api.call(.delete, Self.sessions + "/current", as: stranger).status == 204)
            }
            #expect(try await Self.receivers(api, "\(login)") == Self.fingerprints(Self.ownToken))
            #expect(try await api.register("d-1", as: victim, token: Self.ownToken).status == 200)
        }
    }

    @Test("the current push token takes a device over, in the login or in the registration, in either case of letters")
    func proven() async throws {
        try await Self.run { api in
            let first = try Self.session(try await Self.logIn(api, "u-1"))
            #expect(try await api.register("d-1", as: first, token: Self.ownToken).status == 201)
            let second = try Self.session(try await Self.logIn(api, "u-2"))
            #expect(try await Self.receivers(api, "1", of: "u-1") == Self.fingerprints(Self.ownToken))
            let proof = #","currentToken":"AABBCCDD""#
            #expect(try await api.register("d-1", as: second, token: "0102", more: proof).status == 201)
            #expect(try await Self.receivers(api, "2", of: "u-1").isEmpty)
            #expect(try await Self.receivers(api, "3", of: "u-2") == Self.fingerprints("0102"))
            let third = try Self.session(try await Self.logIn(api, "u-3", more: #","currentToken":"0102""#))
            #expect(try await Self.receivers(api, "4", of: "u-2").isEmpty)
            #expect(try await api.register("d-1", as: third, token: "0304").status == 201)
            // The same token, registered by the next consumer, is proof as well.
            let fourth = try Self.session(try await Self.logIn(api, "u-4"))
            #expect(try await api.register("d-1", as: fourth, token: "0304").status == 201)
            #expect(try await Self.receivers(api, "5", of: "u-3").isEmpty)
        }
    }

    @Test("a push token in an assertion takes a device over only when it is the current one (R32)")
    func carried() async throws {
        try await Self.run { api in
            let first = try Self.session(try await Self.logIn(api, "u-1"))
            #expect(try await api.register("d-1", as: first, token: Self.ownToken).status == 201)
            func exchange(_ consumer: String, _ token: String) async throws -> Reply {
                let claims = api.claims(#","identifier":"\#(consumer)","push_token":"\#(token)""#)
                return try await api.exchange(api.token(claims), #","device_id":"d-1""#)
            }
            #expect(try await exchange("spy", Self.spysToken).status == 200)
            #expect(try await Self.receivers(api, "1", of: "u-1") == Self.fingerprints(Self.ownToken))
            #expect(try await Self.receivers(api, "2", of: "spy").isEmpty)
            #expect(try await exchange("u-2", Self.ownToken).status == 200)
            #expect(try await Self.receivers(api, "3", of: "u-1").isEmpty)
            #expect(try await Self.receivers(api, "4", of: "u-2") == Self.fingerprints(Self.ownToken))
        }
    }

    @Test("a session without a device is bound by its first registration, and then acts for that device alone")
    func binding() async throws {
        try await Self.run { api in
            let session = try Self.session(try await Self.logIn(api, "u-1", device: nil))
            #expect(try await api.register("d-1", as: session).status == 201)
            try await api.register("d-2", as: session, token: "0102").expectProblem(403, "forbidden")
            try await api.call(.get, "/v1/brands/acme/apps/ios/devices/d-2", as: session).expectProblem(
                403,
                "forbidden"
            )
            // Where only the store has the change, the store decides.
            let other = try Self.session(try await Self.logIn(api, "u-1", device: nil))
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: other).status == 200)
            try await api.execute("UPDATE sessions SET device = 'd-3' WHERE device IS NULL")
            try await api.register("d-4", as: other, token: "0304").expectProblem(403, "forbidden")
        }
    }

    @Test("a back-end takes a device without proof, and the audit trail records it")
    func backend() async throws {
        try await Self.run { api in
            let account = try await api.makeAccount("acme", "consumers:write")
            let path = "/v1/brands/acme/apps/ios/devices/d-1?consumer="
            func put(_ consumer: String, _ token: String) async throws -> Int {
                try await api.call(.put, path + consumer, as: account, #"{"token":"\#(token)","pushType":"apns"}"#)
                    .status
            }
            func audited() async throws -> [String] {
                let trail = try await api.call(.get, "/v1/brands/acme/audit").json()["items"]?.items ?? []
                return trail.filter { $0["action"]?.string == "device.reassigned" }.compactMap { $0["target"]?.string }
            }
            #expect(try await put("u-1", Self.ownToken) == 201)
            #expect(try await put("u-1", "0102") == 200)
            var found = try await audited()
            #expect(found.isEmpty)
            #expect(try await put("u-2", "0304") == 201)
            found = try await audited()
            #expect(found == ["ios/d-1"])
            #expect(try await Self.receivers(api, "1", of: "u-1").isEmpty)
        }
    }

    // MARK: The window

    @Test("a session without a device opens a window without a device, whatever device it names")
    func window() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: #"{"presence":"device"}"#)
            let victim = try await api.makeSession(device: "d-1")
            #expect(try await api.register("d-1", as: victim, token: Self.ownToken).status == 201)
            let window = try await WindowClient(
                port: try #require(api.client.port),
                path: "/v1/brands/acme/window?deviceId=d-1",
                as: try await api.makeSession("stranger")
            )
            #expect(try await window.receive()["type"]?.string == "ready")
            #expect(api.presence.notified == ["+ stranger any"])
            #expect(try await Self.receivers(api, "1", of: "u-1") == Self.fingerprints(Self.ownToken))
        }
    }
}
