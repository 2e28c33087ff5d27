import GatewayModel
import GatewayStorage
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Failures by provider, app and reason", .timeLimit(.minutes(10)))
struct FailureGroupTests {
    private static let start = Timestamp(milliseconds: 1_767_323_045_678)
    private static let path = "/v1/brands/acme/deliveries/failures"

    private static func record(_ id: Int64, _ reason: String?, app: String = "ios", status: Int? = 400)
        -> DeliveryRecord
    {
        var record = DeliveryRecord(
            id: DeliveryID(id),
            messageID: nil,
            consumer: ConsumerID(trusted: "u-1"),
            device: DeviceID(trusted: "d-1"),
            app: AppID(trusted: app),
            provider: .apns,
            state: .failed,
            attempts: 1,
            queuedAt: start.adding(seconds: id)
        )
        record.reason = reason
        record.status = status
        return record
    }

    @Test("each group has its count, the times of its first and last delivery, and the newest as example")
    func groups() {
        var groups = FailureGroups()
        for id in stride(from: Int64(9), through: 1, by: -1) {
            groups.add(Self.record(id, id % 3 == 0 ? "TopicDisallowed" : "BadTopic"))
        }
        let found = groups.sorted
        #expect(found.map(\.count) == [6, 3] && groups.count == 9)
        #expect(found.map(\.example) == [DeliveryID(8), DeliveryID(9)])
        #expect(found.map(\.firstAt) == [Self.start.adding(seconds: 1), Self.start.adding(seconds: 3)])
        #expect(found.map(\.lastAt) == [Self.start.adding(seconds: 8), Self.start.adding(seconds: 9)])
        #expect(groups.oldestAt == Self.start.adding(seconds: 1))
    }

    @Test("app, status and the bytes of the reason make a group; of groups of one size the newest is first")
    func keys() {
        var groups = FailureGroups()
        // The same character, once in one code point and once in two.
        for (id, reason) in [(6, nil), (5, ""), (4, "\u{E9}"), (3, "e\u{301}")] as [(Int64, String?)] {
            groups.add(Self.record(id, reason))
        }
        groups.add(Self.record(2, nil, app: "android"))
        groups.add(Self.record(1, nil, status: nil))
        #expect(groups.sorted.map(\.example.rawValue) == [6, 5, 4, 3, 2, 1])
    }

    @Test("failures of a range of time are grouped, and others are not counted")
    func route() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "deliveries:read")
            let empty = try await api.call(.get, Self.path, as: reader)
            #expect(empty.status == 200 && empty["items"]?.items.isEmpty == true && empty["count"]?.int == 0)
            #expect(empty["oldestAt"] == .null && empty["isWhole"] == .bool(true))
            let start = api.clock.now
            #expect(try await api.register("d-1", as: try await api.makeSession(), token: "bad0").status == 201)
            let fine = try await api.makeSession("u-2")
            #expect(try await api.register("d-2", as: fine, token: "aabbccdd").status == 201)
            try await api.post("1")
            try await api.post("2", consumer: "u-2", conversation: "c-2")
            api.clock.advance(seconds: 60)
            try await api.post("3")
            let reply = try await api.until {
                try await api.call(.get, Self.path, as: reader)
            } holds: {
                $0["count"]?.int == 2
            }
            let items = try #require(try reply.json()["items"]).items
            #expect(items.count == 1 && reply["omittedGroups"]?.int == 0 && reply["isWhole"] == .bool(true))
            #expect(items[0]["provider"]?.string == "apns" && items[0]["app"]?.string == "ios")
            #expect(items[0]["status"]?.int == 400 && items[0]["reason"]?.string == "TopicDisallowed")
            #expect(items[0]["count"]?.int == 2 && items[0]["firstAt"]?.string == start.rfc3339)
            #expect(items[0]["lastAt"]?.string == start.adding(seconds: 60).rfc3339)
            let url = try #require(items[0]["url"]?.string)
            #expect(try await api.call(.get, url, as: reader)["queuedAt"]?.string == start.adding(seconds: 60).rfc3339)
            for (query, count) in [
                ("since=\(start.adding(seconds: 1).rfc3339)", 1), ("until=\(start.adding(seconds: 1).rfc3339)", 1),
                ("until=\(start.rfc3339)", 0), ("until=\(start.adding(seconds: 2 * 86_400).rfc3339)", 0),
            ] {
                #expect(try await api.call(.get, Self.path + "?" + query)["count"]?.int == count, "\(query)")
            }
            for bad in ["since", "until"] {
                #expect(try await api.call(.get, Self.path + "?\(bad)=x").pointers == ["/\(bad)"])
            }
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, Self.path, as: writer).expectProblem(403, "forbidden")
            try await api.makeBrand("other")
            #expect(try await api.call(.get, "/v1/brands/other/deliveries/failures")["count"]?.int == 0)
        }
    }
}
