import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Accounts of operators", .timeLimit(.minutes(10)))
struct OperatorRouteTests {
    @Test("accounts are created, listed, changed and deleted, and audited, without passwords in any response")
    func life() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let body =
                #"{"name":"erin@example.com","password":"a word of 12","#
                + #""roles":[{"role":"viewer"},{"role":"admin","brand":"acme"}]}"#
            let key = HTTPField.Name.idempotencyKey
            let made = try await api.call(.post, "/v1/operators", body, headers: [key: "once"])
            #expect(made.status == 201 && made.headers[.location] == "/v1/operators/erin@example.com")
            #expect(try made.json().names == ["name", "roles", "createdAt", "updatedAt"])
            let roles = #"[{"role":"viewer","brand":null},{"role":"admin","brand":"acme"}]"#
            #expect(try made["roles"] == JSON(roles))
            try await api.call(.post, "/v1/operators", body, headers: [key: "once"]).expectProblem(409, "conflict")
            try await api.makeOperator("dana", "support@acme")
            let page = try await api.call(.get, "/v1/operators?limit=1")
            #expect(page["items"]?.items.map { $0["name"]?.string } == ["dana"])
            let next = try #require(page["nextCursor"]?.string)
            let rest = try await api.call(.get, "/v1/operators?limit=1&cursor=\(next)")
            #expect(rest["items"]?.items.map { $0["name"]?.string } == ["erin@example.com"])
            #expect(rest["nextCursor"] == .null)

            let path = "/v1/operators/erin%40example.com"
            api.clock.advance(seconds: 1)
            let changed = try await api.call(.patch, path, #"{"roles":[{"role":"operator","brand":"acme"}]}"#)
            #expect(changed.status == 200)
            #expect(try changed["roles"] == JSON(#"[{"role":"operator","brand":"acme"}]"#))
            #expect(changed["updatedAt"] != changed["createdAt"])
            #expect(try await api.call(.get, path).text == changed.text)
            #expect(try await api.call(.patch, path, #"{"password":"another word"}"#).status == 200)
            #expect(try await api.call(.delete, path).status == 204)
            for method in [HTTPRequest.Method.get, .delete] {
                try await api.call(method, path).expectProblem(404, "not_found")
            }
            try await api.call(.patch, path, "{}").expectProblem(404, "not_found")

            let trail = try await api.call(.get, "/v1/audit")
            let items = (trail["items"]?.items ?? []).filter { $0["target"]?.string == "erin@example.com" }
            #expect(
                items.map { $0["action"]?.string }
                    == ["operator.deleted", "operator.changed", "operator.changed", "operator.created"]
            )
            #expect(items.map { $0["changes"]?.items.map(\.string) } == [[], ["password"], ["roles"], []])
            #expect(items.allSatisfy { $0["brand"] == .null })
            let dump = try await api.dump().values.joined()
            for text in [trail.text, dump] { #expect(!text.contains("a word of 12") && !text.contains("another word")) }
        }
    }

    @Test(
        "an account that is not valid is rejected with the member's name",
        arguments: [
            (#""name":"a b""#, "/name"), (#""name":"session""#, "/name"), (#""name":"é""#, "/name"),
            (#""password":"elevenchars""#, "/password"), (#""roles":[]"#, "/roles"),
            (#""roles":[{"role":"viewer","brand":"nowhere"}]"#, "/roles/0/brand"),
            (#""roles":[{"role":"viewer"},{"role":"admin"}]"#, "/roles/1"),
            (#""roles":[{"role":"root"}]"#, "/roles/0/role"),
        ]
    )
    func invalid(member: String, pointer: String) async throws {
        try await TestGateway.run { api in
            var members = [#""name":"dana""#, #""password":"correct horse battery""#, #""roles":[{"role":"viewer"}]"#]
            let name = member.prefix { $0 != ":" }
            members.removeAll { $0.hasPrefix(name) }
            let reply = try await api.call(.post, "/v1/operators", "{\((members + [member]).joined(separator: ","))}")
            #expect(reply.status == 422 && reply.pointers == [pointer], "\(reply.text)")
            #expect(try await api.call(.get, "/v1/operators")["items"]?.items == [])
        }
    }

    @Test("back-ends and consumers manage no accounts")
    func callers() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeOperator("dana", "support@acme")
            let callers = [try await api.makeAccount("acme", "brand:admin"), try await api.makeSession()]
            for caller in callers {
                try await api.call(.get, "/v1/operators", as: caller).expectProblem(403, "forbidden")
                try await api.call(.post, "/v1/operators", as: caller, "{}").expectProblem(403, "forbidden")
                for method in [HTTPRequest.Method.get, .patch, .delete] {
                    let body = method == .patch ? "{}" : nil
                    try await api.call(method, "/v1/operators/dana", as: caller, body).expectProblem(403, "forbidden")
                }
                try await api.call(.get, "/v1/operators/session", as: caller).expectProblem(403, "forbidden")
            }
        }
    }
}
