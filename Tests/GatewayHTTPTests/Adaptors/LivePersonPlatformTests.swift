import HTTPTypes
import PushSimulator
import Synchronization
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("LivePerson's platform as the sender of pushes", .timeLimit(.minutes(10)))
struct LivePersonPlatformTests {
    /// The attempts that a proxy got, and the waits between them.
    private final class Log: Sendable {
        let waits = Mutex<[Duration]>([])
        let bodies = Mutex<[[UInt8]]>([])
    }

    /// Returns a platform that posts to the gateway; the proxy's first responses are lost, or replaced by a status.
    private static func platform(
        _ api: API,
        _ account: Credential,
        _ log: Log,
        instead statuses: [Int?] = []
    ) throws -> SimulatedPushPlatform {
        guard case .basic(let user, let password) = account else { throw TestFailure("no account") }
        return SimulatedPushPlatform(user: user, password: password) { pause in
            log.waits.withLock { $0.append(pause) }
        } post: { headers, body in
            let place = log.bodies.withLock { bodies in
                bodies.append(body)
                return bodies.count - 1
            }
            var fields: HTTPFields = [:]
            for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
            let authorization = fields[.authorization] ?? ""
            let reply = try await api.call(
                .post,
                "/v1/brands/acme/push-proxy",
                as: .raw(authorization),
                bytes: body,
                type: fields[.contentType]
            )
            guard statuses.indices.contains(place) else { return reply.status }
            guard let status = statuses[place] else { throw TestFailure("the response is lost") }
            return status
        }
    }

    private static func setUp(_ api: API) async throws -> Credential {
        try await api.makeBrand(settings: #"{"wire":{"liveperson":true}}"#)
        let session = try await api.makeSession("u-1", device: "d-1")
        try #require(try await api.register("d-1", as: session).status == 201)
        return try await api.makeAccount("acme", "events:write")
    }

    @Test("resends a push whose response does not arrive, without an id, and the gateway pushes it once")
    func resends() async throws {
        try await TestGateway.run { api in
            let account = try await Self.setUp(api)
            let log = Log()
            let platform = try Self.platform(api, account, log, instead: [nil, 500])
            let push = SimulatedPushPlatform.apns("Ana: hi", to: "aabbccdd", in: "c-1", sequence: 7, brand: "acme")
            #expect(try await platform.send(push) == [0, 500, 200])
            #expect(log.waits.withLock { $0 } == [.seconds(10), .seconds(10)])
            #expect(log.bodies.withLock { Set($0) } == [push])
            let session = try await api.makeSession("u-1")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 1)
            let deliveries = try await api.call(.get, "/v1/brands/acme/deliveries")
            #expect(deliveries["items"]?.items.count == 1, "\(deliveries.text)")
        }
    }

    @Test("gives up after its attempts at a gateway that takes nothing, and at once after a refusal")
    func givesUp() async throws {
        let push = SimulatedPushPlatform.apns("Ana: hi", to: "aabbccdd", in: "c-1", sequence: 7, brand: "acme")
        try await TestGateway.run { api in
            let account = try await Self.setUp(api)
            let log = Log()
            var platform = try Self.platform(api, account, log, instead: Array(repeating: 503, count: 9))
            #expect(try await platform.send(push) == [503, 503, 503, 503, 503])
            platform.interval = .milliseconds(1)
            platform.maxResends = 1
            #expect(try await platform.send(push) == [503, 503])
            #expect(log.waits.withLock { $0 } == Array(repeating: Duration.seconds(10), count: 4) + [.milliseconds(1)])
            let wrong = try Self.platform(api, .basic("nobody", "x"), Log())
            #expect(try await wrong.send(push) == [401])
            let known = try Self.platform(api, account, Log())
            let other = SimulatedPushPlatform.apns("hi", to: "aabbcc00", in: "c-1", sequence: 8, brand: "acme")
            #expect(try await known.send(other) == [403])
            let android = SimulatedPushPlatform.fcm("hi", to: "fcm-token:1", in: "c-1", sequence: 8, brand: "acme")
            #expect(try await known.send(android) == [403])
        }
    }
}
