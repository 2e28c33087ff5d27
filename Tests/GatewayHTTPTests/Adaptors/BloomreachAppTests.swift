import GatewayModel
import HTTPTypes
import PushSimulator
import Synchronization
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Bloomreach: an app with its SDK", .timeLimit(.minutes(10)))
struct BloomreachAppTests {
    /// The requests of an app, with the status of each.
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    private static func app(_ f: BloomreachFixture, _ log: Log = Log()) throws -> SimulatedBloomreachApp {
        guard case .raw(let authorization) = f.key else { throw TestFailure("no key") }
        let clock = f.api.clock
        return SimulatedBloomreachApp(
            project: "acme",
            key: String(authorization.dropFirst("Token ".count)),
            cookie: "cookie-1",
            clock: { SimulatorTime(milliseconds: clock.now.milliseconds) },
            send: { request in
                let reply = try await f.api.call(
                    request.method == "GET" ? .get : .post,
                    request.path,
                    as: .raw(request.authorization),
                    bytes: request.method == "GET" ? nil : request.body
                )
                let name = request.path.split(separator: "/").last ?? ""
                log.lines.withLock { $0.append("\(name) \(reply.status)") }
                return (reply.status, Array(reply.text.utf8))
            }
        )
    }

    @Test("R129: each request of a first visit is taken, and what it says is stored")
    func visit() async throws {
        try await BloomreachFixture.with { f in
            try #require(try await f.customers(#"{"registered":"u-1"}"#).status == 200)
            try #require(try await f.put("i-1").status == 201)
            try #require(try await f.api.call(.get, "/v1/brands/acme/outbound/reader").status == 200)
            var app = try Self.app(f)
            let statuses = try await app.visit(as: "u-1", token: "aabbccdd", platform: "ios")
            #expect(
                statuses.map(\.request) == [
                    "events", "clicks", "customers", "notification_state", "categories", "fetch", "markasread",
                    "self-check",
                ]
            )
            #expect(statuses.allSatisfy { $0.status == 200 }, "\(statuses)")
            #expect(app.registered == "u-1" && app.syncToken != nil)
            let read = try await f.fetch(#"{"registered":"u-1"}"#)
            #expect(read["messages"]?.items.map { $0["is_read"]?.bool } == [true], "\(read.text)")
            let export = try await f.api.call(.get, "/v1/brands/acme/consumers/u-1/export")
            #expect(export["properties"]?["first_name"]?.string == "Ann", "\(export.text)")
            let events = try await f.feed().compactMap { $0["data"]?["event"]?.string }
            #expect(events == ["session_start", "campaign_click"])
            let categories = try await app.consentCategories()
            #expect(categories.isSuccess && categories.body["results"]?[0]?["id"]?.stringValue == "newsletter")
        }
    }

    @Test("R138: a dead sync token costs one more fetch, and another customer begins without one")
    func deadToken() async throws {
        try await BloomreachFixture.with { f in
            let log = Log()
            var app = try Self.app(f, log)
            #expect(try await app.identify("u-1").isSuccess)
            try #require(try await f.put("i-1").status == 201)
            #expect(try await app.fetchInbox().isSuccess)
            let removed = try await f.api.call(.delete, "/v1/brands/acme/consumers/u-1/inbox/i-1")
            try #require(removed.status == 204)
            let again = try await app.fetchInbox()
            #expect(again.isSuccess && again.body["messages"]?.elements?.isEmpty == true)
            #expect(try await app.fetchInbox().isSuccess)
            app.anonymize(cookie: "cookie-2")
            #expect(app.syncToken == nil && app.registered == nil)
            #expect(try await app.fetchInbox().isSuccess)
            #expect(
                log.lines.withLock { $0 } == [
                    "customers 200", "fetch 200", "fetch 410", "fetch 200", "fetch 200", "fetch 200",
                ]
            )
        }
    }

    @Test("R140: with a customer token only the inbox's requests have another authorisation")
    func customerToken() async throws {
        try await BloomreachFixture.with { f in
            let keyID = try await f.api.makeCustomerTokenKey()
            var app = try Self.app(f)
            #expect(try await app.identify("u-1").isSuccess)
            let token = f.token(#"{"registered":"u-1"}"#, keyID)
            guard case .bearer(let text) = token else { throw TestFailure("no token") }
            app.customerToken = text
            #expect(try await app.fetchInbox().isSuccess)
            #expect(try await app.markAsRead([]).isSuccess)
            #expect(try await app.track(event: "session_start").isSuccess)
            app.customerToken = text + "x"
            #expect(try await app.fetchInbox().status == 401)
            #expect(try await app.identify("u-2").isSuccess && app.customerToken == nil)
            #expect(try await app.fetchInbox().isSuccess)
        }
    }
}
