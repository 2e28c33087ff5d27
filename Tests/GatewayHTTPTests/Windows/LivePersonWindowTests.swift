import Foundation
import GatewayModel
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("LivePerson's WebSocket of the consumer", .timeLimit(.minutes(10)))
struct LivePersonWindowTests {
    private static let path = "/ws_api/account/acme/messaging/consumer?v=3"
    private static let settings = #"{"wire":{"liveperson":true},"anonymousConsumers":true}"#

    /// Returns a session's token as LivePerson's clients send it.
    private static func jwt(_ session: Credential, scheme: String = "jwt") throws -> Credential {
        guard case .bearer(let token) = session else { throw TestFailure("no token") }
        return .raw("\(scheme) \(token)")
    }

    /// Logs in without an identity; returns the session and the consumer.
    private static func anonymous(_ api: API) async throws -> (session: Credential, consumer: String) {
        let grant = #"{"grant":"anonymous","deviceId":"d-1"}"#
        let made = try await api.call(.post, "/v1/brands/acme/sessions", as: .none, grant)
        try #require(made.status == 201, "\(made.text)")
        let consumer = try #require(made["consumer"]?["id"]?.string)
        return (.bearer(try #require(made["sessionToken"]?.string)), consumer)
    }

    @Test("R97: opens the brand's window with the gateway's frames, and tells the time")
    func opening() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: Self.settings)
            try await api.post("m-1")
            let session = try await api.makeSession(device: "d-1")
            let port = try #require(api.client.port)
            let window = try await WindowClient(port: port, path: Self.path, as: try Self.jwt(session))
            #expect(window.response.hasPrefix("HTTP/1.1 101 "))
            let ready = try await window.receive()
            #expect(ready["type"]?.string == "ready" && ready["unread"]?.int == 1)
            #expect(api.presence.notified == ["+ u-1 d-1"])
            window.say(#"{"kind":"req","id":"7","type":"GetClock"}"#)
            let time = api.clock.now.milliseconds
            let clock =
                #"{"kind":"resp","reqId":"7","code":200,"type":"GetClockResponse","body":{"currentTime":\#(time)}}"#
            #expect(try await window.receive() == JSON(clock))
            // The request was not the first frame.
            window.say(#"{"type":"resume","conversations":[{"id":"c-1","afterSequence":0}]}"#)
            let message = try await window.receive()
            #expect(message["type"]?.string == "message" && message["text"]?.string == "hello")
            for request in [
                #"{"kind":"req","type":"GetClock"}"#, #"{"kind":"req","id":7,"type":"GetClock"}"#,
                #"{"kind":"req","id":"\#(String(repeating: "7", count: 257))","type":"GetClock"}"#,
                #"{"kind":"req","id":"8","type":"SubscribeExConversations"}"#,
            ] {
                window.say(request)
                let error = try await window.receive()
                #expect(error["type"]?.string == "error" && error["code"]?.string == "invalid_request")
            }
            for credential in [session, try Self.jwt(session, scheme: "JWT")] {
                let other = try await WindowClient(port: port, path: Self.path, as: credential)
                #expect(try await other.receive()["type"]?.string == "ready")
            }
            let native = try await WindowClient(port: port, as: session)
            #expect(try await native.receive()["type"]?.string == "ready")
            native.say(#"{"kind":"req","id":"7","type":"GetClock"}"#)
            #expect(try await native.receive()["type"]?.string == "error")
            let scheme = try await WindowClient(port: port, as: try Self.jwt(session))
            #expect(await scheme.end() == "4403 token_invalid: malformed")
            try await api.call(.get, Self.path, as: session).expectEnvelope(426, "invalid_request")
        }
    }

    /// A token, and the close code.
    struct Rejection: Sendable, CustomStringConvertible {
        var description: String
        var path = LivePersonWindowTests.path
        var credential: @Sendable (API) async throws -> Credential
        var close: String
    }

    static let rejections = [
        Rejection(description: "no token", credential: { _ in .none }, close: "4401 token_missing"),
        Rejection(
            description: "no token of ours",
            credential: { _ in .raw("jwt a.b.c") },
            close: "4403 token_invalid: malformed"
        ),
        Rejection(
            description: "nothing after the scheme",
            credential: { _ in .raw("jwt ") },
            close: "4403 token_invalid: malformed"
        ),
        Rejection(
            description: "one that expired",
            credential: { api in
                let session = try await api.makeSession()
                api.clock.advance(seconds: 7200)
                return try jwt(session)
            },
            close: "4401 token_expired"
        ),
        Rejection(
            description: "an anonymous consumer's that expired",
            credential: { api in
                let (session, _) = try await anonymous(api)
                api.clock.advance(seconds: 7200)
                return try jwt(session)
            },
            close: "4407 token_expired"
        ),
        Rejection(
            description: "one that was logged out",
            credential: { api in
                let (session, _) = try await anonymous(api)
                _ = try await api.call(.delete, "/v1/brands/acme/sessions/current", as: session)
                return try jwt(session)
            },
            close: "4403 token_invalid: revoked"
        ),
        Rejection(
            description: "another brand's",
            path: path.replacing("acme", with: "other"),
            credential: { api in
                try await api.makeBrand("other", settings: settings)
                return try jwt(try await api.makeSession())
            },
            close: "4403 token_invalid: revoked"
        ),
        Rejection(
            description: "a brand's without the adaptor",
            path: path.replacing("acme", with: "other"),
            credential: { api in
                try await api.makeBrand("other")
                return try jwt(try await api.makeSession(brand: "other"))
            },
            close: "4403 forbidden"
        ),
        Rejection(
            description: "another device's",
            path: path + "&deviceId=d-2",
            credential: { try jwt(try await $0.makeSession(device: "d-1")) },
            close: "4403 forbidden"
        ),
    ]

    @Test("R54 R65: closes with LivePerson's codes, and says what is wrong", arguments: rejections)
    func refused(_ rejection: Rejection) async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: Self.settings)
            let credential = try await rejection.credential(api)
            let window = try await WindowClient(
                port: try #require(api.client.port),
                path: rejection.path,
                as: credential
            )
            #expect(window.response.hasPrefix("HTTP/1.1 101 "))
            #expect(await window.end() == rejection.close)
        }
    }

    @Test("R65: the window of an anonymous consumer closes with 4407 when its token has expired")
    func expired() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: Self.settings)
            let (session, consumer) = try await Self.anonymous(api)
            let port = try #require(api.client.port)
            let window = try await WindowClient(port: port, path: Self.path, as: try Self.jwt(session))
            let native = try await WindowClient(port: port, as: session)
            for each in [window, native] { #expect(try await each.receive()["type"]?.string == "ready") }
            _ = try await api.makeSession(consumer, device: "d-2")
            api.clock.advance(seconds: 7200)
            // The end of a session has all windows of its consumer checked.
            let path = "/v1/brands/acme/consumers/\(consumer)/sessions?deviceId=d-2"
            try #require(try await api.call(.delete, path).status == 204)
            #expect(await window.end() == "4407 token_expired")
            #expect(await native.end() == "4401 token_expired")
        }
    }
}
