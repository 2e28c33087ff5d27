import Foundation
import GatewayModel
import HTTPTypes
import PushProviders
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The calendar of certificates and credentials", .timeLimit(.minutes(10)))
struct CalendarRouteTests {
    private static let path = "/v1/brands/acme/calendar"
    private static let members: Set<String> = [
        "kind", "brand", "name", "credential", "since", "endsAt", "expiry", "isDue",
    ]
    private static let day: Int64 = 86_400

    /// Creates a service account that ends after some days.
    private static func makeAccount(_ name: String, brand: String, after days: Int64, _ api: API) async throws -> String
    {
        let end = api.clock.now.adding(seconds: days * day).rfc3339
        let made = try await api.call(
            .post,
            "/v1/brands/\(brand)/credentials",
            #"{"kind":"serviceAccount","name":"\#(name)","scopes":["events:write"],"expiresAt":"\#(end)"}"#
        )
        try #require(made.status == 201, "\(made.text)")
        return try #require(made["id"]?.string)
    }

    @Test("what ends first comes first, what has no end last; pages continue where the one before ended")
    func order() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let late = try await Self.makeAccount("late", brand: "acme", after: 40, api)
            let soon = try await Self.makeAccount("soon", brand: "acme", after: 5, api)
            let others = try await Self.makeAccount("others", brand: "other", after: 20, api)
            let reply = try await api.call(.get, "/v1/calendar")
            let items = try #require(try reply.json()["items"]).items
            #expect(items.allSatisfy { $0.names == Self.members })
            #expect(items.map { $0["name"]?.string } == [soon, others, late, "ios", "ios"])
            #expect(items.map { $0["brand"]?.string } == ["acme", "other", "acme", "acme", "other"])
            let kinds = items.map { $0["kind"]?.string }
            #expect(kinds == ["credential", "credential", "credential", "appKeys", "appKeys"])
            let steps = items.map { $0["expiry"]?.string }
            #expect(steps == ["within_7_days", "within_30_days", "over_30_days", nil, nil])
            #expect(items.map { $0["isDue"]?.bool } == [true, false, false, false, false])
            #expect(items[0]["endsAt"]?.string == api.clock.now.adding(seconds: 5 * Self.day).rfc3339)
            #expect(items[0]["since"]?.string == api.clock.now.rfc3339 && items[3]["endsAt"] == .null)
            #expect(items[0]["credential"]?.string == "serviceAccount" && items[3]["credential"] == .null)
            var names: [String?] = []
            var cursor: String?
            repeat {
                let query = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await api.call(.get, "/v1/calendar?limit=2" + query)
                names += (page["items"]?.items ?? []).map { $0["name"]?.string }
                cursor = page["nextCursor"]?.string
            } while cursor != nil
            #expect(names == items.map { $0["name"]?.string })
        }
    }

    @Test("a brand's administrator sees the brand's own, and nobody else does")
    func ofBrand() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let admin = try await api.makeAccount("acme", "brand:admin")
            let reply = try await api.call(.get, Self.path, as: admin)
            let items = try #require(try reply.json()["items"]).items
            #expect(Set(items.map { $0["brand"]?.string }) == ["acme"] && items.count == 2)
            try await api.call(.get, "/v1/calendar", as: admin).expectProblem(403, "forbidden")
            let reader = try await api.makeAccount("acme", "deliveries:read")
            try await api.call(.get, Self.path, as: reader).expectProblem(403, "forbidden")
            let stranger = try await api.makeAccount("other", "brand:admin")
            try await api.call(.get, Self.path, as: stranger).expectProblem(401, "unauthorized")
        }
    }

    @Test(
        "certificates that people renew are due 30 days before their end, others 7; a credential that has ended is not",
        arguments: [
            (.apnsCertificate, 31, false), (.apnsCertificate, 30, true), (.apnsCertificate, -1, true),
            (.serverCertificate, 8, false), (.serverCertificate, 7, true), (.serverCertificate, -1, true),
            (.credential, 8, false), (.credential, 7, true), (.credential, 0, false), (.credential, -1, false),
        ] as [(ExpiryCalendar.Entry.Kind, Int64, Bool)]
    )
    func due(kind: ExpiryCalendar.Entry.Kind, days: Int64, isDue: Bool) {
        let now = Timestamp(milliseconds: 1_767_323_045_000)
        let entry = ExpiryCalendar.Entry(kind, endsAt: now.adding(seconds: days * Self.day), now: now)
        #expect(entry.isDue == isDue)
        #expect(!ExpiryCalendar.Entry(kind, endsAt: nil, now: now).isDue)
    }
}
