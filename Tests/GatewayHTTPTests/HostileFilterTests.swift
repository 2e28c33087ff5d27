import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Filters of operators' lists", .timeLimit(.minutes(10)))
struct HostileFilterTests {
    /// Texts that mean something in SQL, or in a pattern of it.
    private static let values = [
        "' OR '1'='1", "u-1' --", "1) OR (1=1", "u-1;DROP TABLE delivery_log", "%", "_-1", "u-%", "[u]-1", "*",
        "\"u-1\"", "\\", "?1", ":brand", "NULL", "x' UNION SELECT token FROM registrations --",
    ]

    /// The lists, and the names of their parameters.
    private static let lists: [(path: String, names: [String])] = [
        ("deliveries", filters + ["cursor", "limit"]), ("deliveries/export", filters + ["format"]),
        ("deliveries/failures", ["since", "until"]), ("search", ["q"]), ("search?q=evt-x", ["consumer", "source"]),
        ("consumers/u-1/explain", ["message", "at"]), ("stats", ["window"]), ("campaigns", ["cursor", "limit"]),
        ("unreachable", ["unreadOlderThanHours", "cursor", "limit"]),
        ("unreachable/export", ["unreadOlderThanHours", "format"]), ("lanes", ["cursor", "limit"]),
        ("objectives", ["cursor", "limit"]), ("calendar", ["cursor", "limit"]), ("audit", ["cursor", "limit"]),
    ]
    private static let filters = ["consumer", "device", "message", "state", "provider", "reason", "since", "until"]

    /// Longer than what a random request id contains by chance.
    private static let token = "bad0cafe5a5a1234bad0cafe5a5a1234"

    private static func encoded(_ text: String) -> String {
        text.utf8.map { "%" + String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }

    @Test("the characters of SQL are part of a value: they match nothing, or are rejected")
    func values() async throws {
        try await TestGateway.run(limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            try #require(try await api.register("d-1", as: session, token: Self.token).status == 201)
            let message = try #require(try await api.post("1")["messageId"]?.string)
            _ = try await api.until {
                try await api.call(.get, "/v1/brands/acme/deliveries?state=failed")
            } holds: {
                $0["items"]?.items.count == 1
            }
            for text in Self.values {
                let value = Self.encoded(text)
                for (path, names) in Self.lists {
                    for name in names {
                        let query = "\(path)\(path.contains("?") ? "&" : "?")\(name)=\(value)"
                        let reply = try await api.call(.get, "/v1/brands/acme/" + query)
                        #expect([200, 422].contains(reply.status), "\(query): \(reply.text)")
                        let isFound = reply.text.contains(message) || reply.text.contains(Self.token)
                        #expect(!isFound, "\(query): \(reply.text)")
                    }
                }
                for name in Self.filters + ["app", "cursor"] {
                    let query = "/v1/brands/acme/deliveries/replay?dryRun=true&\(name)=\(value)"
                    let reply = try await api.call(.post, query)
                    #expect([200, 422].contains(reply.status), "\(query): \(reply.text)")
                    if reply.status == 200 { #expect(reply["count"]?.int == 0, "\(query): \(reply.text)") }
                }
                for path in ["consumers/\(value)", "consumers/\(value)/explain", "deliveries/\(value)"] {
                    let reply = try await api.call(.get, "/v1/brands/acme/" + path)
                    #expect([404, 422].contains(reply.status), "\(path): \(reply.text)")
                }
            }
            let rest = try await api.call(.get, "/v1/brands/acme/deliveries")
            #expect(rest["items"]?.items.map { $0["messageId"]?.string } == [message])
        }
    }
}
