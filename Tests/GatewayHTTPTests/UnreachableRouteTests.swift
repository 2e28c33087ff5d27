import Foundation
import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Unreachable consumers", .timeLimit(.minutes(10)))
struct UnreachableRouteTests {
    private static let path = "/v1/brands/acme/unreachable"

    private static func names(_ reply: Reply) -> [String?]? { reply["items"]?.items.map { $0["consumer"]?.string } }

    @Test("consumers with old unread messages and no active device are listed, page by page")
    func list() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "consumers:read")
            #expect(Self.names(try await api.call(.get, Self.path, as: reader)) == [])
            let start = api.clock.now
            try #require(try await api.register("d-1", as: try await api.makeSession()).status == 201)
            try await api.post("1")
            for number in 2...4 {
                try await api.post("\(number)", consumer: "u-\(number)", conversation: "c-\(number)")
            }
            api.clock.advance(seconds: 3600)
            try await api.post("5", consumer: "u-2", conversation: "c-2")
            let first = try await api.call(.get, Self.path + "?unreadOlderThanHours=0&limit=2", as: reader)
            #expect(first.status == 200 && Self.names(first) == ["u-2", "u-3"], "\(first.text)")
            #expect(first["items"]?[0]?["unread"]?.int == 2)
            #expect(first["items"]?[0]?["unreadSince"]?.string == start.rfc3339)
            #expect(first["items"]?[0]?.names == ["consumer", "unread", "unreadSince"])
            let cursor = try #require(first["nextCursor"]?.string)
            let second = try await api.call(.get, Self.path + "?unreadOlderThanHours=0&cursor=\(cursor)", as: reader)
            #expect(Self.names(second) == ["u-4"] && second["nextCursor"] == .null)
            // The hour is not over by a millisecond.
            #expect(Self.names(try await api.call(.get, Self.path + "?unreadOlderThanHours=1")) == [])
            api.clock.advance(seconds: 1)
            let old = try await api.call(.get, Self.path + "?unreadOlderThanHours=1")
            #expect(Self.names(old) == ["u-2", "u-3", "u-4"])
            #expect(Self.names(try await api.call(.get, Self.path)) == [], "a day by default")
            let session = try await api.makeSession("u-3")
            let read = "/v1/brands/acme/conversations/c-3/read"
            try #require(try await api.call(.post, read, as: session, #"{"upToSequence":1}"#).status == 200)
            let late = try await api.makeSession("u-4")
            try #require(try await api.register("d-4", as: late, token: "aabbccee").status == 201)
            #expect(Self.names(try await api.call(.get, Self.path + "?unreadOlderThanHours=0")) == ["u-2"])
            for query in ["cursor=x", "cursor=\(cursor)x", "unreadOlderThanHours=1&cursor=\(cursor)"] {
                #expect(try await api.call(.get, Self.path + "?" + query).pointers == ["/cursor"], "\(query)")
            }
            for hours in ["-1", "8761", "x", "", "1.5", "1%27--"] {
                let reply = try await api.call(.get, Self.path + "?unreadOlderThanHours=\(hours)")
                #expect(reply.pointers == ["/unreadOlderThanHours"], "\(hours)")
            }
        }
    }

    @Test("all pages are exported as JSON lines or as CSV, in which no id is a formula; of operators to administrators")
    func export() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let hostile = [#"=HYPERLINK(\"https://x.example\")"#, "+1", #"a,\"b\""#, "<script>alert(1)</script>"]
            for (index, consumer) in hostile.enumerated() {
                try await api.post("\(index)", consumer: consumer, conversation: "c-\(index)")
            }
            // More than the consumers of a page of the store.
            let events = (1...260).map {
                #"{"id":"u-\#($0)","type":"agent.message","consumer":"u-\#($0)","conversation":"k-\#($0)","text":"t"}"#
            }
            let batch = "[" + events.joined(separator: ",") + "]"
            try #require(try await api.call(.post, "/v1/brands/acme/events", batch).status == 202)
            api.clock.advance(seconds: 86_401)
            let path = Self.path + "/export"
            let reader = try await api.makeAccount("acme", "consumers:read")
            let lines = try await api.call(.get, path, as: reader)
            #expect(lines.status == 200 && lines.headers[.contentType] == "application/x-ndjson")
            #expect(lines.headers[.contentDisposition] == #"attachment; filename="unreachable-acme.ndjson""#)
            let items = try lines.text.split(separator: "\n").map { try JSON(String($0)) }
            let first = try #require(try await api.call(.get, Self.path, as: reader)["items"]).items
            #expect(items.count == 264 && Array(items.prefix(first.count)) == first && !first.isEmpty)
            #expect(Set(items.compactMap { $0["consumer"]?.string }).count == 264)
            let csv = try await api.call(.get, path + "?format=csv", as: reader)
            #expect(csv.headers[.contentType] == "text/csv; charset=utf-8")
            let rows = csv.text.components(separatedBy: "\r\n")
            #expect(rows.count == 266 && rows[265].isEmpty && rows[0] == #""consumer","unread","unreadSince""#)
            #expect(rows[1].hasPrefix(#""'=HYPERLINK(""https://x.example"")",1,""#))
            #expect(rows[2].hasPrefix(#""'+1",1,""#) && rows[3].hasPrefix(#""a,""b""",1,""#))
            #expect(try await api.call(.get, path + "?unreadOlderThanHours=25", as: reader).text.isEmpty)
            #expect(try await api.call(.get, "/v1/brands/other/unreachable/export").text.isEmpty)
            for query in ["format=xml", "format=", "unreadOlderThanHours=1%27--"] {
                try await api.call(.get, path + "?" + query).expectProblem(422, "invalid_request")
            }
            for (name, role, status) in [("sue", "support@acme", 403), ("ann", "admin@acme", 200)] {
                try await api.makeOperator(name, role)
                let page = try await api.signIn(name)
                #expect(try await api.call(.get, path + "?format=csv", of: page).status == status, "\(role)")
            }
        }
    }

    @Test("a brand's list has no consumer of another brand, and needs the scope")
    func access() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            try await api.post("1")
            api.clock.advance(seconds: 2 * 86_400)
            #expect(Self.names(try await api.call(.get, Self.path)) == ["u-1"])
            #expect(Self.names(try await api.call(.get, "/v1/brands/other/unreachable")) == [])
            let reader = try await api.makeAccount("acme", "deliveries:manage", "events:write")
            try await api.call(.get, Self.path, as: reader).expectProblem(403, "forbidden")
            let foreign = try await api.makeAccount("other", "brand:admin")
            #expect(try await api.call(.get, Self.path, as: foreign).status == 401)
            try await api.call(.get, "/v1/brands/none/unreachable").expectProblem(404, "not_found")
        }
    }
}
