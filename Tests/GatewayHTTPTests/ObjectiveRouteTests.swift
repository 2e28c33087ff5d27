import Delivery
import GatewayModel
import HTTPTypes
import TestSupport
import Testing
import TextFormats

@testable import GatewayHTTP

@Suite("Delivery objectives in the API", .timeLimit(.minutes(10)))
struct ObjectiveRouteTests {
    private static let path = "/v1/brands/acme/objectives"

    private static func set(_ objective: String, _ api: API) async throws -> Reply {
        try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"objective":\#(objective)}}"#)
    }

    @Test("without the setting there is no report; with it the brand and each app have one")
    func reports() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "deliveries:read")
            #expect(try await api.call(.get, Self.path, as: reader)["items"]?.items.isEmpty == true)
            let made = try await Self.set(#"{"percent":95,"withinSeconds":10}"#, api)
            #expect(made.status == 200 && made["settings"]?["objective"]?["percent"]?.int == 95, "\(made.text)")
            let session = try await api.makeSession()
            #expect(try await api.register("d-1", as: session).status == 201)
            try await api.post("1")
            let reply = try await api.until {
                try await api.call(.get, Self.path, as: reader)
            } holds: {
                $0["items"]?[0]?["slow"]?["inTime"]?.int == 1
            }
            let items = try #require(try reply.json()["items"]).items
            #expect(items.map { $0["app"]?.string } == [nil, "ios"] && items[0]["app"] == .null)
            for item in items {
                #expect(item["percent"]?.int == 95 && item["withinSeconds"]?.int == 10)
                #expect(item["condition"]?.string == "met")
                for (name, seconds) in [("fast", 300), ("slow", 3600)] {
                    let window = item[name]
                    #expect(window?["seconds"]?.int == seconds && window?["inTime"]?.int == 1)
                    #expect(window?["late"]?.int == 0 && window?["burnRate"] == .number(0))
                }
            }
            let page = try await api.call(.get, Self.path + "?limit=1", as: reader)
            let cursor = try #require(page["nextCursor"]?.string)
            let rest = try await api.call(.get, Self.path + "?limit=1&cursor=\(cursor)", as: reader)
            #expect(rest["items"]?[0]?["app"]?.string == "ios" && rest["nextCursor"] == .null)
            // An hour later there is nothing to judge.
            api.clock.advance(seconds: 3660)
            let idle = try await api.call(.get, Self.path)
            #expect(idle["items"]?[0]?["condition"]?.string == "idle")
            #expect(idle["items"]?[0]?["fast"]?["burnRate"] == .null)
            #expect(try await Self.set("null", api)["settings"]?["objective"] == nil)
            #expect(try await api.call(.get, Self.path)["items"]?.items.isEmpty == true)
        }
    }

    @Test("another brand's account, or one without the scope, reads nothing")
    func refused() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, Self.path, as: writer).expectProblem(403, "forbidden")
            let stranger = try await api.makeAccount("other", "deliveries:read")
            try await api.call(.get, Self.path, as: stranger).expectProblem(401, "unauthorized")
            try await api.call(.get, "/v1/brands/none/objectives").expectProblem(404, "not_found")
        }
    }

    @Test(
        "an objective has both members, in their ranges",
        arguments: [
            #"{"percent":95}"#, #"{"withinSeconds":5}"#, #"{"percent":49,"withinSeconds":5}"#,
            #"{"percent":100,"withinSeconds":5}"#, #"{"percent":99.5,"withinSeconds":5}"#,
            #"{"percent":95,"withinSeconds":0}"#, #"{"percent":95,"withinSeconds":3601}"#,
            #"{"percent":95,"withinSeconds":5,"app":"ios"}"#, "95", "[]",
        ]
    )
    func wrong(objective: String) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await Self.set(objective, api).expectProblem(422, "invalid_request")
        }
    }

    @Test(
        "a burn rate has two digits",
        arguments: [(199, 1, "0.05"), (90, 10, "1.00"), (0, 1, "10.00"), (7, 1, "1.25"), (0, 0, "null")]
            as [(Int64, Int64, String)]
    )
    func burnRates(inTime: Int64, late: Int64, text: String) {
        let sum = ObjectiveStatus.Sum(inTime: inTime, late: late)
        let report = ObjectiveReport(
            brand: BrandID(trusted: "acme"),
            app: nil,
            objective: DeliveryObjective(percent: 90, withinSeconds: 1),
            status: ObjectiveStatus(fast: sum, slow: ObjectiveStatus.Sum())
        )
        var writer = JSONWriter(capacity: 256)
        writer.objective(report, countedSince: nil)
        let written = String(decoding: writer.bytes, as: UTF8.self)
        #expect(written.contains(#""late":\#(late),"burnRate":\#(text)},"slow":"#), "\(written)")
    }
}
