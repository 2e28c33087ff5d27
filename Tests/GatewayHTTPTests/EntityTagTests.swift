import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Entity tags of administered resources", .timeLimit(.minutes(10)))
struct EntityTagTests {
    @Test("a representation that the caller has already is not sent again")
    func conditionalReads() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "events:write")
            guard case .basic(let id, _) = account else {
                Issue.record("a credential of another kind")
                return
            }
            for path in [
                "/v1/brands/acme", "/v1/brands/acme/apps/ios", "/v1/brands/acme/credentials",
                "/v1/brands/acme/credentials/\(id)",
            ] {
                let first = try await api.call(.get, path)
                let tag = try #require(first.headers[.eTag])
                #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 10)
                for header in [tag, "\"x\", " + tag, "W/" + tag, "*"] {
                    let again = try await api.call(.get, path, headers: [.ifNoneMatch: header])
                    #expect(again.status == 304 && again.text.isEmpty && again.headers[.eTag] == tag)
                }
                let other = try await api.call(.get, path, headers: [.ifNoneMatch: "\"x\""])
                #expect(other.status == 200 && other.text == first.text)
            }
        }
    }

    @Test("a change of an outdated state is rejected and not applied")
    func conditionalWrites() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let app = #"{"platform":"ios","apns":\#(API.apns)}"#
            for (method, path, body) in [
                (HTTPRequest.Method.patch, "/v1/brands/acme", #"{"name":"Other"}"#),
                (.put, "/v1/brands/acme/apps/ios", #"{"platform":"ios","apns":\#(API.apns),"dialect":"switchboard"}"#),
            ] {
                let old = try #require(try await api.call(.get, path).headers[.eTag])
                let first = try await api.call(method, path, body, headers: [.ifMatch: old])
                #expect(first.status == 200)
                let new = try #require(first.headers[.eTag])
                #expect(new != old)
                #expect(try await api.call(.get, path).headers[.eTag] == new)
                let before = try await api.call(.get, path).text
                let late = try await api.call(method, path, app, headers: [.ifMatch: old])
                if method == .put { late.expectProblem(409, "conflict") }
                try await api.call(method, path, body, headers: [.ifMatch: old]).expectProblem(409, "conflict")
                #expect(try await api.call(.get, path).text == before)
                #expect(try await api.call(method, path, body, headers: [.ifMatch: "*"]).status == 200)
                // A weak tag never matches (RFC 9110 section 13.1.1).
                let newest = try #require(try await api.call(.get, path).headers[.eTag])
                let weak = try await api.call(method, path, body, headers: [.ifMatch: "W/" + newest])
                weak.expectProblem(409, "conflict")
            }
            let fresh = "/v1/brands/acme/apps/new"
            try await api.call(.put, fresh, app, headers: [.ifMatch: "*"]).expectProblem(409, "conflict")
            #expect(try await api.call(.put, fresh, app, headers: [.ifNoneMatch: "*"]).status == 201)
            try await api.call(.put, fresh, app, headers: [.ifNoneMatch: "*"]).expectProblem(409, "conflict")
        }
    }
}
