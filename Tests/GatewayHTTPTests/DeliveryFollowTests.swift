import Foundation
import GatewayModel
import GatewayStorage
import HTTPTypes
import HummingbirdCore
import HummingbirdTesting
import Logging
import NIOCore
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Retry, timeline, statistics and stream", .timeLimit(.minutes(10)))
struct DeliveryFollowTests {
    private static let path = "/v1/brands/acme/deliveries"

    /// Creates one failed delivery of a device that has a valid token now.
    private static func failed(_ api: API) async throws -> String {
        let session = try await api.makeSession()
        _ = try await api.register("d-1", as: session, token: "bad0")
        try await api.post("1")
        let reply = try await api.until {
            try await api.call(.get, path + "?state=failed")
        } holds: {
            $0["items"]?.items.count == 1
        }
        _ = try await api.register("d-1", as: session, token: "aabb")
        return try #require(reply["items"]?[0]?["id"]?.string)
    }

    @Test("a failed delivery is retried, and its timeline shows both attempts")
    func retry() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let id = try await Self.failed(api)
            let admin = try await api.makeAccount("acme", "brand:admin")
            let again = try await api.call(.post, Self.path + "/\(id)/retry", as: admin)
            #expect(again.status == 202, "\(again.text)")
            #expect(again["id"]?.string == id)
            let done = try await api.until {
                try await api.call(.get, Self.path + "/" + id)
            } holds: {
                $0["state"]?.string == "accepted"
            }
            let states = done["timeline"]?.items.compactMap { $0["state"]?.string }
            #expect(states == ["queued", "sent", "retrying", "sent", "accepted"])
            #expect(done["timeline"]?[0]?.names == ["state", "at", "attempt", "reason"])
            #expect(done["timeline"]?[2]?["reason"]?.string == "TopicDisallowed")
            #expect(done["attemptLog"]?.items.count == 2)
            let twice = try await api.call(.post, Self.path + "/\(id)/retry", as: admin)
            twice.expectProblem(409, "conflict")
            let trail = try await api.call(.get, "/v1/brands/acme/audit").json()["items"]?.items ?? []
            let reported = trail.filter { $0["action"]?.string == "delivery.retried" }
            #expect(reported.map { $0["target"]?.string } == [id], "the retry that was done")
            #expect(reported.first?["actor"]?["kind"]?.string == "serviceAccount")
        }
    }

    @Test("a retry is for brand administrators")
    func retryAccess() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let id = try await Self.failed(api)
            let path = Self.path + "/\(id)/retry"
            let reader = try await api.makeAccount("acme", "deliveries:read")
            try await api.call(.post, path, as: reader).expectProblem(403, "forbidden")
            try await api.call(.post, path, as: .none).expectProblem(401, "unauthorized")
            let foreign = try await api.makeAccount("other", "brand:admin")
            let refused = try await api.call(.post, path, as: foreign)
            #expect(refused.status == 401)
            try await api.call(.post, "/v1/brands/other/deliveries/\(id)/retry").expectProblem(404, "not_found")
            for unknown in ["999999", "0", "x"] {
                try await api.call(.post, Self.path + "/\(unknown)/retry").expectProblem(404, "not_found")
            }
        }
    }

    @Test("statistics count by state, provider and reason, with latencies and taps")
    func stats() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            _ = try await Self.failed(api)
            let message = try #require(try await api.post("2")["messageId"]?.string)
            _ = try await api.until {
                try await api.call(.get, Self.path + "?state=accepted")
            } holds: {
                $0["items"]?.items.count == 1
            }
            let session = try await api.makeSession()
            let tapped = try await api.call(
                .post,
                "/v1/brands/acme/messages/\(message)/tap",
                as: session,
                #"{"deviceId":"d-1"}"#
            )
            #expect(tapped.status == 200, "\(tapped.text)")
            let path = "/v1/brands/acme/stats"
            for window in ["", "?window=1m", "?window=24h", "?window=30d"] {
                let stats = try await api.call(.get, path + window)
                #expect(stats.status == 200)
                #expect(stats["byState"]?["failed"]?.int == 1)
                #expect(stats["byState"]?["tapped"]?.int == 1)
                #expect(stats["byProvider"]?["apns"]?.int == 2)
                #expect(stats["byReason"]?["TopicDisallowed"]?.int == 1)
                #expect(stats["latencyMs"]?["p999"]?.int == 1)
                #expect(stats["latencyMs"]?["count"]?.int == 2)
                #expect(stats["taps"]?["tapped"]?.int == 1)
                #expect(stats["taps"]?["accepted"]?.int == 1)
                #expect(stats["total"]?.int == 2)
            }
            for bad in ["0m", "1s", "31d", "h", "1", "-1h", "1.5h", "721h", "+1h", "99999999h"] {
                let refused = try await api.call(.get, path + "?window=" + bad)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == ["/window"])
            }
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, path, as: writer).expectProblem(403, "forbidden")
            try await api.call(.get, path, as: .none).expectProblem(401, "unauthorized")
            try await api.call(.get, "/v1/brands/nobody/stats").expectProblem(404, "not_found")
        }
    }

    @Test("all invalid filters are named at once")
    func wrongFilters() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            for path in [Self.path, Self.path + "/tail"] {
                let refused = try await api.call(.get, path + "?state=x&provider=y&since=z&message=1")
                refused.expectProblem(422, "invalid_request")
                #expect(Set(refused.pointers) == ["/state", "/provider", "/since", "/message"])
            }
        }
    }

    // MARK: Stream

    private static func open(
        _ api: API,
        _ query: String = "",
        brand: String = "acme",
        lastID: String? = nil,
        credential: String = Credential.admin.header ?? ""
    ) throws -> RawClient {
        let client = try RawClient(port: try #require(api.client.port))
        let resume = lastID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let path = path.replacing("/acme/", with: "/\(brand)/")
        let fields = "Connection: close\r\nAuthorization: \(credential)\r\n\(resume)"
        client.send("GET \(path)/tail\(query) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        return client
    }

    private static func ids(_ text: String) -> [String] {
        // Chunks end in both.
        text.replacing("\r\n", with: "\n").split(separator: "\n").filter { $0.hasPrefix("id: ") }.map {
            String($0.dropFirst(4))
        }
    }

    @Test("a stream reports finished deliveries, and continues after the last event")
    func tail() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            _ = try await api.register("d-1", as: session)
            let client = try Self.open(api, "?state=accepted")
            let head = try #require(await client.read(until: "id: 0\n\n"))
            #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("text/event-stream"))
            try await api.post("1")
            let first = try #require(await client.read(until: "event: delivery"))
            let position = try #require(Self.ids(first).last)
            // Disconnected while more happens.
            try await api.post("2")
            try await api.post("3")
            let again = try Self.open(api, lastID: position)
            var text = ""
            while text.components(separatedBy: "event: delivery").count < 3 {
                let more = try #require(await again.read(until: "event: delivery"))
                try #require(!more.isEmpty, "the stream has ended")
                text += more
            }
            let ids = Self.ids(text).compactMap { Int($0) }
            #expect(ids == ids.sorted() && Set(ids).count == ids.count && ids.first == Int(position))
            #expect(ids.count == 3)
            #expect(text.contains(#""state":"accepted""#))
            // A client that cannot send the header; one that sends both, as a browser does when it connects again.
            let named = try Self.open(api, "?after=\(position)")
            // One read: the first delivery may come with the head.
            let continued = try #require(await named.read(until: "event: delivery"))
            let places = Self.ids(continued).compactMap { Int($0) }
            #expect(places.prefix(2) == ids.prefix(2), "after the position, in order")
            let both = try Self.open(api, "?after=0", lastID: position)
            #expect(await both.read(until: "id: \(position)\n\n") != nil)
            // A filter that matches nothing opens the stream all the same.
            let quiet = try Self.open(api, "?state=expired", lastID: "0")
            #expect(await quiet.read(until: "id: 0\n\n") != nil)
        }
    }

    @Test("a stream has unfinished deliveries where it is asked to, without ids, and each before it finishes")
    func tailUnfinished() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            _ = try await api.register("d-1", as: try await api.makeSession())
            let lane = "/v1/brands/acme/lanes/ios:apns:production"
            try #require(try await api.call(.post, lane + "/pause").status == 200)
            let old = try #require(try await api.post("1")["messageId"]?.string)
            let client = try Self.open(api, "?unfinished=true")
            #expect(await client.read(until: "id: 0\n\n") != nil)
            let message = try #require(try await api.post("2")["messageId"]?.string)
            let waiting = try #require(await client.read(until: #""state":"pending""#))
            #expect(waiting.contains(message) && !waiting.contains(old), "only what changes after the start")
            #expect(Self.ids(waiting).isEmpty)
            try #require(try await api.call(.post, lane + "/resume").status == 200)
            let done = try #require(await client.read(until: #""state":"accepted""#))
            #expect(!Self.ids(done).isEmpty)
        }
    }

    @Test("a stream ends with the right to read: the credential is revoked or expires, the brand is replaced")
    func tailPermission() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let open = { (expiry: String) async throws -> (id: String, client: RawClient) in
                let body = #"{"kind":"serviceAccount","name":"ops","scopes":["deliveries:read"]\#(expiry)}"#
                let made = try await api.call(.post, "/v1/brands/acme/credentials", body)
                let (id, secret) = try (#require(made["id"]?.string), #require(made["secret"]?.string))
                let client = try Self.open(
                    api,
                    credential: "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
                )
                _ = try #require(await client.read(until: "id: 0\n\n"))
                return (id, client)
            }
            let soon = api.clock.now.adding(seconds: 60).rfc3339
            let (expiring, revoked) = try await (open(#","expiresAt":"\#(soon)""#), open(""))
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(revoked.id)").status == 204)
            #expect(await revoked.client.readToEnd() != nil, "the stream of a revoked credential continues")
            api.clock.advance(seconds: 61)
            #expect(await expiring.client.readToEnd() != nil, "the stream of an expired credential continues")
            let admin = try Self.open(api)
            _ = try #require(await admin.read(until: "id: 0\n\n"))
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            try await api.makeBrand()
            #expect(await admin.readToEnd() != nil, "the stream reports another brand of the same name")
        }
    }

    /// Reads the stream until a text arrives.
    private struct Reader: ResponseBodyWriter {
        let until: String
        var text = ""

        mutating func write(_ buffer: ByteBuffer) async throws {
            text += String(buffer: buffer)
            if text.contains(until) { throw CancellationError() }
        }

        consuming func finish(_: HTTPFields?) async throws {}
    }

    @Test("a quiet stream sends keep-alive comments")
    func tailHeartbeat() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let store = try TestGateway.makeStore(path, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await store.insertBrand(
            Brand(id: BrandID(trusted: "acme"), name: "Acme", settings: BrandSettings(), createdAt: TestClock().now),
            audit: nil
        )
        let tail = DeliveryTail(
            store: store,
            query: DeliveryQuery(brand: BrandID(trusted: "acme"), limit: 1),
            start: 0,
            mayRead: { true },
            slot: try #require(CallSlots(limit: 1, brandLimit: 1).take("acme")),
            heartbeat: .zero
        )
        var writer: any ResponseBodyWriter = Reader(until: ": still here\nid: 0\n\n")
        await #expect(throws: CancellationError.self) { try await tail.run(&writer) }
    }

    @Test("a client that disconnects releases its slot at once")
    func tailLife() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            for _ in 0..<3 {
                var open: [RawClient] = []
                for _ in 0..<DeliveryTail.brandLimit {
                    let client = try Self.open(api)
                    _ = try #require(await client.read(until: "id: 0\n\n"))
                    open.append(client)
                }
                for client in open { client.endOfInput() }
                for client in open { #expect(await client.readToEnd() != nil) }
            }
        }
    }

    @Test("a stream that cannot be opened has an error")
    func tailRejections() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let path = Self.path + "/tail"
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, path, as: writer).expectProblem(403, "forbidden")
            try await api.call(.get, path, as: .none).expectProblem(401, "unauthorized")
            for bad in ["x", "-1"] {
                var headers = HTTPFields()
                headers[.lastEventID] = bad
                let refused = try await api.call(.get, path, headers: headers)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == ["/Last-Event-ID"])
                #expect(try await api.call(.get, path + "?after=" + bad).pointers == ["/after"])
                #expect(try await api.call(.get, path + "?unfinished=" + bad).pointers == ["/unfinished"])
            }
            #expect(try await api.call(.get, path + "?after=").pointers == ["/after"])
            var open: [RawClient] = []
            for _ in 0..<DeliveryTail.brandLimit {
                let client = try Self.open(api)
                #expect(await client.read(until: "id: 0\n\n") != nil)
                open.append(client)
            }
            try await api.call(.get, path).expectProblem(503, "overloaded")
            withExtendedLifetime(open) {}
        }
    }

    @Test("the streams of some brands leave a slot to a brand that has none")
    func tailShares() async throws {
        try await TestGateway.run(.live) { api in
            var open: [RawClient] = []
            // As many brands as held all streams when each had all that it may.
            for number in 0..<DeliveryTail.limit / DeliveryTail.brandLimit {
                try await api.makeBrand("b-\(number)")
                for _ in 0..<DeliveryTail.brandLimit {
                    let client = try Self.open(api, brand: "b-\(number)")
                    if try #require(await client.readResponseHead()).contains(" 200 ") { open.append(client) }
                }
            }
            #expect(open.count >= DeliveryTail.limit / 2)
            try await api.makeBrand("newcomer")
            let client = try Self.open(api, brand: "newcomer")
            _ = try #require(await client.read(until: "id: 0\n\n"))
            withExtendedLifetime(open) {}
        }
    }
}
