import Delivery
import GatewayModel
import HTTPTypes
import HummingbirdTesting
import PushSimulator
import TestSupport
import Testing

@testable import GatewayHTTP

private let proxy = "/v1/brands/acme/push-proxy"
private let gorush = "/api/push"
private let desk = "/v1/hooks/acme/desk"

/// Adaptors' events on the event loop, compared with the router's, which handles requests with a query.
@Suite("Adaptors without the router", .serialized, .timeLimit(.minutes(10)))
struct DirectAdaptorTests {
    private static let secret = "kx8wYq3vT1mZ5nB7"

    /// A brand with the adaptors on, a device with the token `aabbccdd`, and the account of a back-end.
    private struct Fixture {
        let api: API
        let port: Int
        let account: Credential

        init(_ api: API) async throws {
            self.api = api
            port = try #require(api.client.port)
            try await api.makeBrand(settings: #"{"wire":{"liveperson":true,"gorush":true}}"#)
            account = try await api.makeAccount("acme", "events:write")
            try await register("d-1", of: "u-1")
        }

        func register(_ device: String, of consumer: String) async throws {
            let session = try await api.makeSession(consumer, device: device)
            try #require(try await api.register(device, as: session, token: "aabbccdd").status == 201)
        }

        /// Sends a request and, in the same bytes, another one; returns the response to the first without what differs
        /// each time.
        func post(_ path: String, _ body: String, _ fields: [(String, String)]) async throws -> String {
            let client = try RawClient(port: port)
            let head = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
            client.send(
                "POST \(path) HTTP/1.1\r\nHost: h\r\nX-Request-Id: mine\r\n\(head)Content-Length: \(body.utf8.count)\r\n\r\n"
                    + body + "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            )
            let responses = try #require(await client.readToEnd()).split(separator: "HTTP/1.1 ")
            #expect(responses.count == 2)
            return try #require(responses.first).split(separator: "\r\n", omittingEmptySubsequences: false)
                .filter { !$0.lowercased().hasPrefix("date:") }.joined(separator: "\n")
                .replacing(/;r=\d+;t=\d+/, with: ";r=0;t=0")
        }

        func push(_ body: String, as credential: Credential? = nil) async throws -> String {
            try await post(proxy, body, DirectAdaptorTests.fields(credential ?? account))
        }

        func texts(of consumer: String) async throws -> [String?] {
            let session = try await api.makeSession(consumer)
            let reply = try await api.call(.get, "/v1/brands/acme/messages?conversation=c-1", as: session)
            return (reply["items"]?.items ?? []).map { $0["text"]?.string }
        }
    }

    private static func fields(_ credential: Credential, _ type: String = "application/json") -> [(String, String)] {
        [("Content-Type", type)] + (credential.header.map { [("Authorization", $0)] } ?? [])
    }

    private static func apns(_ sequence: Int, token: String = "aabbccdd", brand: String = "acme") -> String {
        """
        {"aps":{"alert":"message \(sequence)"},"push-service":1,"device-token":"\(token)","backendService":"ams",\
        "conversationId":"c-1","brandId":"\(brand)","sequence":\(sequence)}
        """
    }

    private static func notification(_ token: String = "aabbccdd") -> String {
        """
        {"notifications":[{"tokens":["\(token)"],"platform":1,"message":"hi","notif_id":"n-1","thread-id":"t-1"}]}
        """
    }

    private static func signed(_ body: String, _ api: API, secret: String = Self.secret) -> [(String, String)] {
        let time = SimulatorTime(milliseconds: api.clock.now.milliseconds)
        return SimulatedChatwoot(secret: secret).headers(of: Array(body.utf8), delivery: "d-1", at: time)
            .map { ($0.name, $0.value) }
    }

    @Test("responses are the router's, for valid requests and for every kind of invalid ones")
    func sameResponses() async throws {
        try await TestGateway.run(.live) { api in
            let f = try await Fixture(api)
            let reader = try await api.makeAccount("acme", "events:read")
            let made = try await api.call(
                .post,
                "/v1/brands/acme/credentials",
                #"{"kind":"serviceAccount","name":"platform","scopes":["events:write"]}"#
            )
            let own = [
                ("SwitchboardAccount", try #require(made["id"]?.string)),
                ("SwitchboardSecret", try #require(made["secret"]?.string)),
            ]
            let hook = #"{"kind":"chatwoot","secret":"\#(Self.secret)"}"#
            try #require(try await api.call(.put, "/v1/brands/acme/hooks/desk", hook).status == 201)
            let open = #"{"kind":"chatwoot","pathSecret":true}"#
            let url = try #require(try await api.call(.put, "/v1/brands/acme/hooks/open", open)["path"]?.string)
            func message(_ consumer: String, isPrivate: Bool = false) -> String {
                let bytes = SimulatedChatwoot.message("hello", to: consumer, in: 10, isPrivate: isPrivate)
                return String(decoding: bytes, as: UTF8.self)
            }
            let (usual, note) = (Self.fields(f.account), message("u-1", isPrivate: true))
            let invalid = message(String(repeating: "u", count: 300))
            let badge = #"{"aps":{"badge":1},"push-service":1,"device-token":"aabbccdd","badge":3}"#
            let cases: [(path: String, body: String, fields: [(String, String)], status: String)] = [
                (proxy, Self.apns(7), usual, "200"), (proxy, Self.apns(7), own, "200"), (proxy, badge, usual, "200"),
                (proxy, Self.apns(8, token: "aabbcc00"), usual, "403"),
                (proxy, Self.apns(8, token: "no"), usual, "403"),
                (proxy, Self.apns(8, brand: "other"), usual, "403"), (proxy, "{}", usual, "400"),
                (proxy, "no json", usual, "400"), (proxy, "", usual, "400"),
                (proxy, Self.apns(8), Self.fields(f.account, "text/plain"), "415"),
                (proxy, Self.apns(8), Self.fields(reader), "403"), (proxy, Self.apns(8), Self.fields(.none), "401"),
                (proxy, Self.apns(8), Array(own.dropFirst()), "401"),
                ("/v1/brands/none/push-proxy", "{}", usual, "401"),
                (gorush, Self.notification(), usual, "200"), (gorush, Self.notification("aabbcc00"), usual, "200"),
                (gorush, Self.notification("no"), Self.fields(f.account, "text/plain"), "200"),
                (gorush, Self.notification(), usual + [("Idempotency-Key", "once")], "200"),
                (gorush, #"{"notifications":[]}"#, usual, "400"), (gorush, "no json", usual, "400"),
                (gorush, Self.notification(), Self.fields(.admin), "401"),
                (gorush, Self.notification(), Self.fields(reader), "403"),
                (desk, message("u-1"), Self.signed(message("u-1"), api), "202"),
                (desk, note, Self.signed(note, api), "202"), (desk, invalid, Self.signed(invalid, api), "422"),
                (desk, "{", Self.signed("{", api), "400"), (desk, note, [], "401"),
                (desk, note, Self.signed(note, api, secret: Self.secret + "x"), "401"),
                (desk, note + " ", Self.signed(note, api), "401"), (desk + "/x", note, Self.signed(note, api), "401"),
                (url, message("u-1"), [], "202"), (url + "x", note, [], "401"), (url + "%78", note, [], "401"),
            ]
            for (path, body, fields, status) in cases {
                // The first one stores the events: what is compared are responses to the same ones again.
                let first = try await f.post(path + "?", body, fields)
                #expect(first.hasPrefix(status), "\(path) \(body.prefix(200)) \(first)")
                let (direct, routed) = (
                    try await f.post(path, body, fields), try await f.post(path + "?", body, fields)
                )
                #expect(direct == routed, "\(path) \(body.prefix(200))")
            }
        }
    }

    @Test("a caller above its rate limit, and events that are not taken, get the router's responses")
    func rejections() async throws {
        let limits = ServerLimits(rates: RateLimits(accountPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            let f = try await Fixture(api)
            let sender = Self.fields(try await api.makeAccount("acme", "events:write"))
            api.data.delivery?.report([.diskSpaceLow])
            let platform = Self.fields(f.account)
            for (path, body, fields, code) in [
                (proxy, Self.apns(7), platform, "503"), (gorush, Self.notification(), sender, "429"),
            ] {
                let full = try await f.post(path, body, fields)
                #expect(full.hasPrefix("503"), "\(full)")
                #expect(try await full == f.post(path + "?", body, fields))
                for _ in 2..<RateLimits.burstSeconds { _ = try await f.post(path, body, fields) }
                let limited = try await f.post(path, body, fields)
                #expect(limited.hasPrefix(code) && limited.contains("Too many requests of this account."), "\(limited)")
                #expect(try await limited == f.post(path + "?", body, fields))
            }
        }
    }

    @Test("a token that moved is the new consumer's at once, and one that ended is nobody's")
    func tokens() async throws {
        try await TestGateway.run(.live) { api in
            let f = try await Fixture(api)
            try await api.makeBrand("other", settings: #"{"wire":{"liveperson":true}}"#)
            #expect(try await f.push(Self.apns(1)).hasPrefix("200"))
            try await f.register("d-2", of: "u-2")
            #expect(try await f.push(Self.apns(2)).hasPrefix("200"))
            #expect(try await f.texts(of: "u-1") == ["message 1"])
            #expect(try await f.texts(of: "u-2") == ["message 2"])
            // Another brand's account has no device with the token.
            let stranger = try await api.makeAccount("other", "events:write")
            let foreign = Self.apns(3, brand: "other")
            let path = "/v1/brands/other/push-proxy"
            #expect(try await f.post(path, foreign, Self.fields(stranger)).hasPrefix("403"))
            #expect(try await f.push(Self.apns(3), as: stranger).hasPrefix("401"))
            let session = try await api.makeSession("u-2", device: "d-2")
            let device = "/v1/brands/acme/apps/ios/devices/d-2"
            try #require(try await api.call(.delete, device, as: session).status == 204)
            #expect(try await f.push(Self.apns(3)).hasPrefix("403"))
            try await f.register("d-1", of: "u-1")
            #expect(try await f.push(Self.apns(4)).hasPrefix("200"))
            try #require(try await api.call(.delete, "/v1/brands/acme/apps/ios").status == 204)
            #expect(try await f.push(Self.apns(5)).hasPrefix("403"))
            #expect(try await f.texts(of: "u-1") == ["message 1", "message 4"])
            try #require(try await api.call(.delete, "/v1/brands/acme").status == 204)
            #expect(try await f.push(Self.apns(6)).hasPrefix("401"))
        }
    }

    private static let taken: [String] = [proxy, gorush, desk, "\(desk)/p-secret_1"]
    private static let notTaken: [String] = [
        "\(desk)?", "\(desk)/", "\(desk)//", "\(desk)/a/b", "\(desk)/%61", "\(desk)/a?b", "/v1/hooks/acme",
        "/v1/hooks/%61cme/desk", "/v1/hooks//desk", "/v1/brands/acme/push-proxy/", "/v1/brands/push-proxy",
        "/v1/brands/acme", "\(gorush)/", "/api/pushes", "/", "*",
    ]

    @Test("the direct handler takes the paths of its routes", arguments: taken)
    func takes(path: String) { #expect(Self.isTaken(path)) }

    @Test("the router handles paths that the direct handler does not know", arguments: notTaken)
    func passesOn(path: String) { #expect(!Self.isTaken(path)) }

    private static func isTaken(_ path: String) -> Bool {
        let head = HTTPRequest(method: .post, scheme: "http", authority: "h", path: path)
        return DirectEvents.target(of: head) != nil
    }
}
