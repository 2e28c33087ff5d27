import Foundation
import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Export of deliveries", .timeLimit(.minutes(10)))
struct DeliveryExportTests {
    private static let path = "/v1/brands/acme/deliveries/export"

    /// Posts events to devices of consumers with hostile ids, and waits until their deliveries are finished.
    private func fill(_ api: API, _ consumers: [String]) async throws {
        try await api.makeBrand()
        for (index, consumer) in consumers.enumerated() {
            let device = #"{"token":"aabbcc\#(index < 16 ? "0" : "")\#(String(index, radix: 16))","pushType":"apns"}"#
            let name = PercentEncodedText.encode(consumer)
            let path = "/v1/brands/acme/apps/ios/devices/d-\(index)?consumer=\(name)"
            try #require(try await api.call(.put, path, device).status == 201)
            try await api.post("\(index)", consumer: consumer.replacing("\"", with: "\\\""), conversation: "c-\(index)")
        }
        _ = try await api.until {
            try await api.call(.get, "/v1/brands/acme/deliveries?state=accepted")
        } holds: {
            $0["items"]?.items.count == consumers.count
        }
    }

    @Test("JSON lines have the members of the list, newest first, with the same filters")
    func lines() async throws {
        try await TestGateway.run { api in
            try await fill(api, ["u-1", "u-2", "u-3"])
            let reader = try await api.makeAccount("acme", "deliveries:read")
            let reply = try await api.call(.get, Self.path, as: reader)
            #expect(reply.status == 200 && reply.headers[.contentType] == "application/x-ndjson")
            #expect(reply.headers[.contentDisposition] == #"attachment; filename="deliveries-acme.ndjson""#)
            let lines = try reply.text.split(separator: "\n").map { try JSON(String($0)) }
            let list = try #require(try await api.call(.get, "/v1/brands/acme/deliveries").json()["items"]).items
            #expect(lines == list && lines.count == 3)
            for (query, count) in [("consumer=u-2", 1), ("state=failed", 0), ("until=2000-01-01T00:00:00Z", 0)] {
                let found = try await api.call(.get, Self.path + "?" + query, as: reader)
                #expect(found.status == 200 && found.text.split(separator: "\n").count == count, "\(query)")
            }
            for query in ["format=xml", "state=x", "consumer=%00", "message=x"] {
                try await api.call(.get, Self.path + "?" + query).expectProblem(422, "invalid_request")
            }
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, Self.path, as: writer).expectProblem(403, "forbidden")
            try await api.makeBrand("other")
            #expect(try await api.call(.get, "/v1/brands/other/deliveries/export").text.isEmpty)
        }
    }

    @Test("CSV has a row for each delivery, and no text is a formula or leaves its cell")
    func csv() async throws {
        try await TestGateway.run { api in
            try await fill(api, [#"=HYPERLINK("https://x.example")"#, "+1", "a,\"b\""])
            let reply = try await api.call(.get, Self.path + "?format=csv")
            #expect(reply.headers[.contentType] == "text/csv; charset=utf-8")
            let rows = reply.text.components(separatedBy: "\r\n")
            #expect(rows.count == 5 && rows[4].isEmpty)
            let list = try #require(try await api.call(.get, "/v1/brands/acme/deliveries").json()["items"]).items
            let header = rows[0].split(separator: ",").map { String($0.dropFirst().dropLast()) }
            #expect(Set(header) == list[0].names && header.count == list[0].names.count)
            let ids = list.map { $0["id"]?.string ?? "" }
            #expect(zip(rows[1...3], ids).allSatisfy { $0.hasPrefix("\"\($1)\",") })
            #expect(rows[1].contains(#","a,""b""","#))
            #expect(rows[2].contains(#","'+1","#))
            #expect(rows[3].contains(#","'=HYPERLINK(""https://x.example"")","#))
            // The reason of a provider, too.
            try await api.execute("UPDATE delivery_log SET reason = '@SUM(1)'")
            let again = try await api.call(.get, Self.path + "?format=csv")
            #expect(again.text.components(separatedBy: #","'@SUM(1)","#).count == 4)
        }
    }

    @Test("all pages are exported, each delivery once")
    func pages() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            #expect(try await api.register("d-1", as: try await api.makeSession()).status == 201)
            // More than a page, in batches.
            let count = ExportFormat.pageSize + 20
            let lane = "/v1/brands/acme/lanes/ios:apns:production/pause"
            #expect(try await api.call(.post, lane).status == 200)
            let events = (0..<count).map {
                #"{"id":"\#($0)","type":"agent.message","consumer":"u-1","conversation":"c-1","text":"hello"}"#
            }
            let batch = "[" + events.joined(separator: ",") + "]"
            #expect(try await api.call(.post, "/v1/brands/acme/events", batch).status == 202)
            let reply = try await api.call(.get, Self.path)
            let ids = try reply.text.split(separator: "\n").map { try JSON(String($0))["id"]?.string }
            #expect(ids.count == count && Set(ids).count == count)
        }
    }
}

/// Percent-encodes a text for a query.
private enum PercentEncodedText {
    static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            byte < 16 ? "%0" + String(byte, radix: 16) : "%" + String(byte, radix: 16)
        }.joined()
    }
}
