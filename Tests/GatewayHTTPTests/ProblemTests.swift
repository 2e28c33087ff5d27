import Delivery
import GatewayModel
import GatewayStorage
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Identity
import IdentityProviders
import NIOCore
import PushPayloads
import Testing

@testable import GatewayHTTP

@Suite("Problems")
struct ProblemTests {
    @Test(
        "a temporary error is 503 with Retry-After, a permanent one 500",
        arguments: [
            (StorageError.full(detail: "row"), 503, Int?.some(30), "The disk is full."),
            (.readOnly(detail: "row"), 503, 30, "The data cannot be written."),
            (.unavailable(detail: "row"), 503, 5, "The store does not respond."),
            (.locked(detail: "row"), 503, 5, "Another process has locked the data."),
            (.closed, 503, 5, "The gateway is stopping."),
            (.corrupt(detail: "row"), 503, 60, "The store is damaged; an operator must restore it."),
            (.duplicate, 409, nil, "The id or the name is already used."),
            (.constraint(detail: "row"), 500, nil, "Internal error of the store."),
            (.newerSchema(migration: "row"), 500, nil, "Internal error of the store."),
        ]
    )
    func storage(_ error: StorageError, _ status: Int, _ retryAfter: Int?, _ detail: String) {
        for problem in [
            Problem(error), Problem(IntakeError.storage(error)), Problem(SessionError.storage(error)),
            Problem(CodeExchangeError.storage(error)),
        ] {
            #expect(problem.status == status)
            #expect(problem.detail == detail)
            let response = problem.response(requestID: "r")
            #expect(response.status.code == status)
            #expect(response.headers[.retryAfter] == retryAfter.map { String($0) })
            #expect(problem.code.isRetryable == (status >= 500))
        }
    }

    @Test(
        "events that are not accepted are 503 with Retry-After",
        arguments: [
            (IntakeError.overloaded(retryAfterSeconds: 7), "7"), (.stopping, "5"),
            (.fault(.fileDescriptorsExhausted), "5"), (.fault(.diskSpaceLow), "30"),
        ]
    )
    func intake(_ error: IntakeError, _ retryAfter: String) {
        let response = Problem(error).response(requestID: "r")
        #expect(response.status.code == 503)
        #expect(response.headers[.retryAfter] == retryAfter)
    }

    @Test(
        "a code that is not redeemed under overload is 503 or 429 with Retry-After, and a rejected one is 401"
    )
    func codes() {
        let response = Problem(CodeExchangeError.overloaded).response(requestID: "r")
        #expect(response.status.code == 503 && response.headers[.retryAfter] == "1")
        let limited = Problem(CodeExchangeError.limited(retryAfterSeconds: 3)).response(requestID: "r")
        #expect(limited.status.code == 429 && limited.headers[.retryAfter] == "3")
        let refused = Problem(CodeExchangeError.refused(.tokenInvalid(.codeReused)))
        #expect(refused == Problem(AuthenticationError.tokenInvalid(.codeReused)) && refused.status == 401)
    }

    @Test("429 and 503 have Retry-After, whoever creates them", arguments: ProblemCode.allCases)
    func retryAfter(_ code: ProblemCode) {
        let mustHave = code.status == 429 || code.status == 503
        #expect(Problem(code, "x").response(requestID: "r").headers.contains(.retryAfter) == mustHave)
        let status = HTTPResponse.Status(code: code.status)
        let thrown = Problem(HTTPError(status)).response(requestID: "r")
        #expect(thrown.headers.contains(.retryAfter) == mustHave)
        if mustHave { #expect(thrown.status == status) }
    }

    @Test("the readiness response names every reason")
    func notReady() {
        func text(_ error: StorageError?, _ faults: Set<HostFault>) -> String {
            let health = DeliveryHealth(isAccepting: false, storeError: error, faults: faults, pendingEvents: 0)
            let problem = Problem(notReady: health)
            #expect(problem.status == 503 && problem.retryAfterSeconds != nil)
            return problem.detail
        }
        #expect(text(nil, []) == "The gateway is starting or stopping.")
        #expect(text(.corrupt(detail: ""), []) == "The store is damaged; an operator must restore it.")
        #expect(
            text(.full(detail: ""), Set(HostFault.allCases))
                == "The disk is full. The gateway's disk is nearly full. The gateway has no file descriptor left."
        )
        #expect(text(.constraint(detail: "row"), []) == "Internal error of the store.")
    }

    @Test(
        "every code has its documented status",
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

    @Test("an intake that becomes full midway rejects the rest as overloaded, to be sent again")
    func filledUp() throws {
        var batch = EventBatch()
        for id in ["1", "2"] {
            batch.events.append(
                AgentEvent(id: EventID(trusted: id), type: .agentMessage, consumer: ConsumerID(trusted: "u"))
            )
        }
        let stored = AcceptedEvent(messageID: nil, conversation: nil, sequence: nil, unread: 0, deliveries: 0)
        var written = EventsResponse(requestID: "r-1")
        let results: [IntakeResult] = [.decided(.accepted(stored)), .failed(.overloaded(retryAfterSeconds: 1))]
        try written.append(batch, results, isBatch: true)
        let response = try JSON(String(buffer: written.body))
        #expect([response["accepted"]?.int, response["rejected"]?.int] == [1, 1])
        let problem = try #require(response["results"]?[1]?["problem"])
        #expect(problem["code"]?.string == "overloaded")
        #expect(problem["status"]?.int == 503)
        #expect(problem["retryable"]?.bool == true)
        #expect(problem["requestId"]?.string == "r-1")
    }

    @Test(
        "an error of the store about an event names the member",
        arguments: [
            (EventRejection.unknownConversation, 422, ["/conversation"]), (.unknownMessage, 422, ["/upToMessageId"]),
            (.unknownBrand, 404, []), (.unknownToken, 403, []), (.notReceived, 403, []),
        ]
    )
    func rejections(_ rejection: EventRejection, _ status: Int, _ pointers: [String]) {
        #expect(Problem(rejection).status == status)
        #expect(Problem(rejection).errors.map(\.pointer) == pointers)
    }

    @Test(
        "links are https or have an app's own scheme",
        arguments: [
            ("https://a", true), ("HTTPS://a.b/c?d#e", true), ("myapp://x", true), ("my.app+1:x", true),
            ("tel:123", true),
            ("http://a", false), ("https:", false), ("https://", false), ("https:a", false), ("javascript:x", false),
            ("JavaScript:x", false), ("data:text/html,x", false), ("file:///etc", false), ("x", false), (":x", false),
            ("1a:x", false), ("https://a b", false), ("https://a\nb", false), ("", false), ("a:", false),
        ]
    )
    func links(_ text: String, _ isValid: Bool) {
        let found = Array(text.utf8).withUnsafeBufferPointer { LinkText.isValid($0) }
        #expect(found == isValid)
    }

    @Test("a login does not reveal the response of an identity provider")
    func upstream() {
        let error = AuthenticationError.upstreamUnavailable("Their address answers with status 503.")
        let problem = Problem(error)
        #expect(problem.code == .upstreamUnavailable && !problem.detail.contains("503"))
        #expect(problem.detail == error.text)
    }
}
