import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Why was there no push?", .timeLimit(.minutes(10)))
struct ExplanationRouteTests {
    private static let path = "/v1/brands/acme/consumers/u-1/explain"
    private static let token = String(repeating: "ab", count: 20)

    private func codes(_ reply: Reply) throws -> [String?] {
        try #require(try reply.json()["devices"]).items.map { $0["code"]?.string }
    }

    @Test("a message is explained for each device: pushed, logged out, registered later")
    func devices() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "deliveries:read")
            func register(_ device: String) async throws -> Credential {
                let session = try await api.makeSession(device: device)
                let token = Self.token + "0\(device.suffix(1))"
                #expect(try await api.register(device, as: session, token: token).status == 201)
                return session
            }
            _ = try await register("d-1")
            let second = try await register("d-2")
            let devices = "/v1/brands/acme/apps/ios/devices/"
            #expect(try await api.call(.delete, devices + "d-2?unregister=agent", as: second).status == 204)
            let message = try #require(try await api.post("1")["messageId"]?.string)
            api.clock.advance(seconds: 1)
            _ = try await register("d-3")
            for query in ["", "?message=\(message)", "?at=\(api.clock.now.rfc3339)"] {
                let reply = try await api.until {
                    try await api.call(.get, Self.path + query, as: reader)
                } holds: {
                    $0["code"]?.string == "pushed"
                }
                #expect(reply["message"]?["id"]?.string == message && reply["message"]?["kind"]?.string == "agent")
                #expect(reply["sentence"]?.string == "The message was pushed to 1 of 3 devices.")
                let items = try #require(try reply.json()["devices"]).items
                #expect(items.map { $0["deviceId"]?.string } == ["d-1", "d-2", "d-3"])
                #expect(try codes(reply) == ["accepted", "agent_logged_out", "registered_later"])
                let url = try #require(items.first?["url"]?.string)
                #expect(try await api.call(.get, url, as: reader).status == 200)
                #expect(items[1...].allSatisfy { $0["url"] == .null && $0["delivery"] == .null })
                #expect(!reply.text.contains("hello") && !reply.text.contains(Self.token))
            }
        }
    }

    @Test("the explanation of a push that waits for the pace of its lane names the pace")
    func paced() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            #expect(try await api.register("d-1", as: try await api.makeSession()).status == 201)
            let pace = "/v1/brands/acme/lanes/ios:apns:production/pace"
            #expect(try await api.call(.post, pace, #"{"pushesPerSecond":1}"#).status == 200)
            // The last one has more than half a minute to wait.
            for number in 1...40 { try await api.post("\(number)") }
            let reply = try await api.call(.get, Self.path)
            #expect(reply["code"]?.string == "waiting")
            #expect(reply["devices"]?[0]?["sentence"]?.string?.hasSuffix("pace: at most 1 a second.") == true)
        }
    }

    @Test("what waits is explained: a paused lane, quiet hours")
    func waits() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            #expect(try await api.register("d-1", as: try await api.makeSession()).status == 201)
            let lane = "/v1/brands/acme/lanes/ios:apns:production"
            #expect(try await api.call(.post, lane + "/pause").status == 200)
            try await api.post("1")
            let paused = try await api.call(.get, Self.path)
            #expect(paused["code"]?.string == "waiting")
            #expect(try codes(paused) == ["lane_waits"])
            #expect(paused["devices"]?[0]?["sentence"]?.string?.contains("An operator paused it at ") == true)

            let hour = api.clock.now.milliseconds / 3_600_000 % 24
            func text(_ hour: Int64) -> String { (hour % 24 < 10 ? "0" : "") + "\(hour % 24):00" }
            let hours = #"{"from":"\#(text(hour))","to":"\#(text(hour + 2))","timeZone":"UTC","mode":"held"}"#
            let patch = #"{"settings":{"quietHours":\#(hours)}}"#
            #expect(try await api.call(.patch, "/v1/brands/acme", patch).status == 200)
            #expect(try await api.call(.post, lane + "/resume").status == 200)
            let quiet = try await api.until {
                try await api.call(.get, Self.path)
            } holds: {
                $0["devices"]?[0]?["code"]?.string == "quiet_hours"
            }
            #expect(quiet["code"]?.string == "waiting")
        }
    }

    @Test("a consumer without a device, without a message, and unknown ones")
    func nothing() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let start = api.clock.now
            try await api.call(.get, Self.path).expectProblem(404, "not_found")
            let message = try #require(try await api.post("1")["messageId"]?.string)
            let none = try await api.call(.get, Self.path)
            #expect(none["code"]?.string == "no_registration" && none["message"]?["id"]?.string == message)
            #expect(try codes(none).isEmpty)
            let session = try await api.makeSession()
            #expect(try await api.register("d-1", as: session).status == 201)
            for at in [start.adding(seconds: -1), start.adding(seconds: 86_401), Timestamp(milliseconds: 0)] {
                let reply = try await api.call(.get, Self.path + "?at=\(at.rfc3339)")
                #expect(reply["code"]?.string == "no_message" && reply["message"] == .null)
                #expect(try codes(reply) == ["no_message"])
            }
            let within = try await api.call(.get, Self.path + "?at=\(start.adding(seconds: 86_300).rfc3339)")
            #expect(within["message"]?["id"]?.string == message)
            try await api.post("2", consumer: "u-2", conversation: "c-2")
            for unknown in [
                "/v1/brands/other/consumers/u-1/explain", "/v1/brands/acme/consumers/u-2/explain?message=\(message)",
                Self.path + "?message=00000000-0000-7000-8000-000000000000",
            ] {
                try await api.call(.get, unknown).expectProblem(404, "not_found")
            }
            for (query, pointer) in [
                ("message=x", "/message"), ("at=x", "/at"), ("message=\(message)&at=\(start.rfc3339)", "/at"),
            ] {
                let refused = try await api.call(.get, Self.path + "?" + query)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == [pointer])
            }
            let writer = try await api.makeAccount("acme", "consumers:write")
            try await api.call(.get, Self.path, as: writer).expectProblem(403, "forbidden")
            try await api.call(.get, Self.path, as: session).expectProblem(403, "forbidden")
        }
    }

    @Test("of many messages the last one at a time is explained, whichever conversation it is in")
    func last() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            var times: [(Timestamp, String?)] = []
            for number in 0..<60 {
                let message = try await api.post("\(number)", conversation: "c-\(number % 3)")["messageId"]?.string
                times.append((api.clock.now, message))
                api.clock.advance(seconds: 1)
            }
            for (at, message) in [times[0], times[30], times[59]] {
                let reply = try await api.call(.get, Self.path + "?at=\(at.rfc3339)")
                #expect(reply["message"]?["id"]?.string == message && message != nil)
            }
        }
    }
}
