import GatewayModel
import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Importing devices", .timeLimit(.minutes(10)))
struct DeviceImportTests {
    private static let path = "/v1/brands/acme/devices/import"
    private static let type = "application/x-ndjson"

    private static func line(
        _ device: String,
        _ token: String,
        of consumer: String = "u-1",
        app: String = "ios",
        more: String = ""
    ) -> String {
        #"{"consumer":"\#(consumer)","app":"\#(app)","deviceId":"\#(device)","token":"\#(token)","pushType":"apns"\#(more)}"#
    }

    private func send(_ api: API, _ lines: String..., as credential: Credential = .admin) async throws -> Reply {
        try await api.call(.post, Self.path, as: credential, lines.joined(separator: "\n"), type: Self.type)
    }

    /// Each result in a few words.
    private func results(_ reply: Reply) -> [String] {
        (reply["results"]?.items ?? []).map { "\($0["line"]?.int ?? 0) \($0["status"]?.string ?? "")" }
    }

    private func devices(_ api: API, of consumer: String = "u-1") async throws -> [String] {
        let reply = try await api.call(.get, "/v1/brands/acme/consumers/\(consumer)/devices")
        return (reply["items"]?.items ?? []).compactMap { $0["deviceId"]?.string }
    }

    @Test("broken lines in the middle are named and do not stop the rest; a second time everything is kept")
    func brokenLines() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let lines = [
                Self.line("d-1", "aa01", more: #","locale":"de-AT","timeZone":"Europe/Vienna""#), "", "{\"consumer\":",
                Self.line("d-2", "not a token"), Self.line("d-3", "aa03", app: "none"), "\u{FEFF}{}", "[]", "  \r",
                Self.line("d-4", "AA04", of: "u-2", more: #","environment":"sandbox""#) + "\r",
                #"{"app":"ios","deviceId":"d-5","token":"aa05","pushType":"fcm"}"#,
            ].joined(separator: "\n")
            let reply = try await send(api, lines)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply["created"]?.int == 2 && reply["kept"]?.int == 0 && reply["rejected"]?.int == 6)
            #expect(
                results(reply) == [
                    "1 created", "3 rejected", "4 rejected", "5 rejected", "6 rejected", "7 rejected", "9 created",
                    "10 rejected",
                ]
            )
            let problems = (reply["results"]?.items ?? []).compactMap { $0["problem"] }
            #expect(problems.map { $0["status"]?.int } == [400, 422, 422, 400, 400, 422])
            #expect(problems[1]["errors"]?[0]?["pointer"]?.string == "/token")
            #expect(problems[2]["errors"]?[0]?["pointer"]?.string == "/app")
            #expect(problems[5]["errors"]?.items.map { $0["pointer"]?.string } == ["/consumer"])
            let stored = try await api.call(.get, "/v1/brands/acme/apps/ios/devices/d-1?consumer=u-1")
            #expect(stored["locale"]?.string == "de-AT" && stored["timeZone"]?.string == "Europe/Vienna")
            let sandbox = try await api.call(.get, "/v1/brands/acme/apps/ios/devices/d-4?consumer=u-2")
            #expect(sandbox["environment"]?.string == "sandbox")
            #expect(sandbox["tokenFingerprint"]?.string == DeviceToken.fingerprint("aa04"))
            let again = try await send(api, lines)
            #expect(again["created"]?.int == 0 && again["kept"]?.int == 2 && again["rejected"]?.int == 6)
        }
    }

    @Test("nothing that is registered is moved, replaced or ended")
    func kept() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            let own = try await api.register("d-1", as: session, token: "aa01")
            let reply = try await send(
                api,
                // Its token on another device, its id with another token, and for another consumer.
                Self.line("d-2", "AA01", of: "u-2"),
                Self.line("d-1", "aa02"),
                Self.line("d-1", "aa01", of: "u-2")
            )
            #expect(results(reply) == ["1 kept", "2 kept", "3 kept"], "\(reply.text)")
            let stored = try await api.call(.get, "/v1/brands/acme/apps/ios/devices/d-1", as: session)
            #expect(stored.text == own.text)
            #expect(try await devices(api, of: "u-2").isEmpty)
        }
    }

    @Test("of lines with the same token or the same device the first one counts")
    func repeated() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reply = try await send(
                api,
                Self.line("d-1", "aa01"),
                Self.line("d-2", "AA01", of: "u-2"),
                Self.line("d-1", "aa03", of: "u-3"),
                Self.line("d-3", "aa03", of: "u-3")
            )
            #expect(results(reply) == ["1 created", "2 kept", "3 kept", "4 created"], "\(reply.text)")
            #expect(try await devices(api) == ["d-1"])
            #expect(try await devices(api, of: "u-3") == ["d-3"])
        }
    }

    @Test("a consumer with as many devices as one may have keeps them")
    func full() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let lines = (0...100).map { Self.line("d-\($0)", String(0xAA00 + $0, radix: 16)) }
            let reply = try await send(api, lines.joined(separator: "\n"))
            #expect(reply["created"]?.int == 100 && reply["rejected"]?.int == 1)
            let rejected = (reply["results"]?.items ?? []).compactMap { $0["problem"]?["code"]?.string }
            #expect(rejected == ["conflict"])
        }
    }

    @Test("a request has at most 10,000 lines, one line at most 32 KiB; the body is lines")
    func limits() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let most = Array(repeating: "{}", count: 10_000).joined(separator: "\n\n")
            let full = try await send(api, most)
            #expect(full.status == 200 && full["rejected"]?.int == 10_000)
            let before = try await api.dump()
            try await send(api, most + "\n" + Self.line("d-1", "aa01")).expectProblem(413, "payload_too_large")
            try await send(api, " \n\r\n").expectProblem(400, "invalid_request")
            let json = try await api.call(.post, Self.path, Self.line("d-1", "aa01"))
            json.expectProblem(415, "unsupported_media_type")
            #expect(try await api.dump() == before)
            let long = Self.line("d-2", "aa02", more: ",\"x\":\"" + String(repeating: "x", count: 32_768) + "\"")
            #expect(try await results(send(api, long, Self.line("d-3", "aa03"))) == ["1 rejected", "2 created"])
        }
    }

    @Test("back-ends that write consumers may import, for their brand only")
    func callers() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let writer = try await api.makeAccount("acme", "consumers:write")
            let poster = try await api.makeAccount("acme", "events:write")
            let stranger = try await api.makeAccount("other", "consumers:write")
            let session = try await api.makeSession()
            let line = Self.line("d-1", "aa01")
            try await send(api, line, as: poster).expectProblem(403, "forbidden")
            try await send(api, line, as: stranger).expectProblem(401, "unauthorized")
            try await send(api, line, as: session).expectProblem(403, "forbidden")
            #expect(try await results(send(api, line, as: writer)) == ["1 created"])
        }
    }
}
