import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("The setting of templates", .timeLimit(.minutes(10)))
struct TemplateRouteTests {
    @Test("they are returned as they were set, replaced as a whole, and removed by null")
    func setting() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let first = #"{"agent":{"de":{"title":"{{brand}}"},"default":{"body":"{{text}}"}}}"#
            let made = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"templates":\#(first)}}"#)
            #expect(made.status == 200, "\(made.text)")
            #expect(try made["settings"]?["templates"] == JSON(first))
            let second = #"{"summary":{"default":{"body":"{{count}}"}}}"#
            _ = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"templates":\#(second)}}"#)
            #expect(try await api.call(.get, "/v1/brands/acme")["settings"]?["templates"] == JSON(second))
            let none = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"templates":null}}"#)
            #expect(none["settings"]?["templates"] == nil)
        }
    }

    @Test("a preview shows the texts of its locale")
    func preview() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            _ = try await api.call(
                .patch,
                "/v1/brands/acme",
                #"{"settings":{"templates":{"agent":{"de":{"body":"Neu: {{text}}"},"default":{"body":"New: {{text}}"}}}}}"#
            )
            let event = #"{"id":"e","type":"agent.message","consumer":"u-1","conversation":"c","text":"<hi>"}"#
            for (locale, text) in [(#""de-AT""#, "Neu: <hi>"), (#""fr""#, "New: <hi>"), ("null", "New: <hi>")] {
                let reply = try await api.call(
                    .post,
                    "/v1/brands/acme/apps/ios/preview",
                    #"{"event":\#(event),"pushType":"apns","locale":\#(locale)}"#
                )
                #expect(reply["body"]?["aps"]?["alert"]?["body"]?.string == text, "\(reply.text)")
                #expect(reply["truncated"]?.items.isEmpty == true)
            }
        }
    }

    @Test(
        "errors are named by their position",
        arguments: [
            (#"[]"#, [""]), (#"{"chat":{}}"#, ["/chat"]), (#"{"agent":{"de":null}}"#, ["/agent/de"]),
            (#"{"agent":{"de":{}}}"#, ["/agent/de"]), (#"{"agent":{"d e":{"body":"x"}}}"#, ["/agent/d e"]),
            (#"{"agent":{"de":{"body":"x","text":"y"}}}"#, ["/agent/de/text"]),
            (#"{"agent":{"de-":{"body":"x"}}}"#, ["/agent/de-"]),
            (#"{"agent":{"de":{"body":"x"},"DE":{"body":"y"}}}"#, ["/agent/de"]),
            (#"{"agent":{"de":{"title":"{{x}}","body":"{{#text}}"}}}"#, ["/agent/de/title", "/agent/de/body"]),
            (#"{"agent":{"de":{"body":""}},"c2m":{"de":{"title":7}}}"#, ["/agent/de/body", "/c2m/de/title"]),
        ]
    )
    func problems(_ templates: String, _ pointers: [String]) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reply = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"templates":\#(templates)}}"#)
            reply.expectProblem(422, "invalid_request")
            #expect(Set(reply.pointers) == Set(pointers.map { "/settings/templates" + $0 }), "\(reply.text)")
        }
    }

    @Test("the number of locales and the size of all templates are limited")
    func limits() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            func patch(_ locales: Int, _ body: String) async throws -> Reply {
                let words = (0..<locales).map { #""l\#($0)":{"body":"\#(body)"}"# }.joined(separator: ",")
                return try await api.call(
                    .patch,
                    "/v1/brands/acme",
                    #"{"settings":{"templates":{"agent":{\#(words)},"c2m":{"de":{"body":"x"}}}}}"#
                )
            }
            #expect(try await patch(64, "x").status == 200)
            #expect(try await patch(65, "x").pointers == ["/settings/templates/agent"])
            #expect(try await patch(64, String(repeating: "x", count: 1024)).pointers == ["/settings/templates"])
        }
    }
}
