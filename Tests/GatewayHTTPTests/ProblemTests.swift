import Delivery
import GatewayModel
import GatewayStorage
import HTTPTypes
import HummingbirdCore
import PushPayloads
import Testing

@testable import GatewayHTTP

@Suite("Problems")
struct ProblemTests {
    @Test(
        "what may pass is 503 with a time to come again, what will not is 500",
        arguments: [
            (StorageError.full(detail: ""), 503, "overloaded"), (.readOnly(detail: ""), 503, "overloaded"),
            (.unavailable(detail: ""), 503, "overloaded"), (.locked(detail: ""), 503, "overloaded"),
            (.closed, 503, "overloaded"), (.duplicate, 409, "conflict"), (.corrupt(detail: "row"), 500, "internal"),
            (.constraint(detail: "row"), 500, "internal"), (.newerSchema(migration: "m"), 500, "internal"),
        ]
    )
    func storage(_ error: StorageError, _ status: Int, _ code: String) {
        let problem = Problem(error)
        #expect(problem.status == status)
        #expect(problem.code.rawValue == code)
        #expect((problem.retryAfterSeconds != nil) == (status == 503))
        #expect(!problem.detail.contains("row"))
        let response = problem.response(requestID: "r")
        #expect(response.status.code == status)
        #expect(response.headers[.retryAfter] == (status == 503 ? "5" : nil))
    }

    @Test(
        "every code has the status of the contract",
        arguments: [
            (ProblemCode.invalidRequest, 422), (.unauthorized, 401), (.tokenExpired, 401), (.tokenInvalid, 401),
            (.forbidden, 403), (.notFound, 404), (.gone, 410), (.unsupportedMediaType, 415), (.conflict, 409),
            (.payloadTooLarge, 413), (.rateLimited, 429), (.overloaded, 503), (.upstreamUnavailable, 502),
            (.internal, 500),
            (.methodNotAllowed, 405),
        ]
    )
    func codes(_ code: ProblemCode, _ status: Int) {
        #expect(code.status == status)
        #expect(Problem(code, "x").title.isEmpty == false)
    }

    @Test("an intake that fills up midway rejects the rest as overloaded, to be sent again")
    func filledUp() throws {
        var batch = EventBatch(isBatch: true)
        for id in ["1", "2"] {
            batch.events.append(
                AgentEvent(id: EventID(trusted: id), type: .agentMessage, consumer: ConsumerID(trusted: "u"))
            )
        }
        let stored = AcceptedEvent(messageID: nil, conversation: nil, sequence: nil, unread: 0, deliveries: 0)
        let writer = EventAnswer.write(
            batch,
            [.decided(.accepted(stored)), .failed(.overloaded(retryAfterSeconds: 1))],
            requestID: "r-1"
        )
        let answer = try JSON(String(decoding: writer.bytes, as: UTF8.self))
        #expect([answer["accepted"]?.int, answer["rejected"]?.int] == [1, 1])
        let problem = try #require(answer["results"]?[1]?["problem"])
        #expect(problem["code"]?.string == "overloaded")
        #expect(problem["status"]?.int == 503)
        #expect(problem["retryable"]?.bool == true)
        #expect(problem["requestId"]?.string == "r-1")
    }

    @Test(
        "what the store refuses about an event names the member",
        arguments: [
            (EventRejection.conversationOfAnotherConsumer, 422, ["/conversation"]),
            (.unknownConversation, 422, ["/conversation"]), (.unknownMessage, 422, ["/upToMessageId"]),
            (.unknownBrand, 404, []),
        ]
    )
    func rejections(_ rejection: EventRejection, _ status: Int, _ pointers: [String]) {
        #expect(Problem(rejection).status == status)
        #expect(Problem(rejection).errors.map(\.pointer) == pointers)
    }

    @Test(
        "links are https or of an app's own scheme",
        arguments: [
            ("https://a", true), ("HTTPS://a.b/c?d#e", true), ("myapp://x", true), ("my.app+1:x", true),
            ("tel:123", true),
            ("http://a", false), ("https:", false), ("https://", false), ("https:a", false), ("javascript:x", false),
            ("JavaScript:x", false), ("data:text/html,x", false), ("file:///etc", false), ("x", false), (":x", false),
            ("1a:x", false), ("https://a b", false), ("https://a\nb", false), ("", false), ("a:", false),
        ]
    )
    func links(_ text: String, _ isValid: Bool) {
        #expect(LinkText.isValid(text) == isValid)
    }
}
