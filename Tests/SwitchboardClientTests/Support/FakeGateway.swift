import Foundation

@testable import SwitchboardClient

/// A model of the gateway's device API that misbehaves on request; an unknown route is 404.
final class FakeGateway: HTTPTransport {
    /// A response that the test dictates.
    enum Fault: Sendable {
        /// No response; the request was not handled.
        case drop
        /// No response; the request was handled.
        case dropResponse
        /// A problem of the gateway.
        case problem(Int, String, reason: String? = nil, retryAfter: Int? = nil)
        /// A body that is not JSON.
        case garbage(Int)
        /// A response without the members of the contract.
        case empty(Int)
        /// A response with this body.
        case body(Int, JSONValue)
        /// No response until the task is cancelled.
        case hang
    }

    struct Session: Sendable {
        var consumer: String
        var isAnonymous: Bool
        var device: String?
        var isExpired = false
        var isRevoked = false
    }

    struct Device: Sendable, Equatable {
        var consumer: String
        var token: String
        var receives: [String]
    }

    /// A request that arrived, in short.
    struct Call: Sendable {
        var route: String
        var request: HTTPRequest
        var body: JSONValue
    }

    private struct State: Sendable {
        var calls: [Call] = []
        var faults: [String: [Fault]] = [:]
        var sessions: [String: Session] = [:]
        var devices: [String: Device] = [:]
        var unread: [String: Int] = [:]
        var usedCodes: Set<String> = []
        var expiredAssertions: Set<String> = []
        var anonymousCount = 0
        var lastToken = 0
        var lifetime = 3600
        var merges = true
        /// The details of the engagement that is offered.
        var offer: JSONValue?
        /// The items of Bloomreach's app inbox, oldest first.
        var inbox: [JSONValue] = []
        /// The fault of every request from this number on.
        var away: (from: Int, fault: Fault)?
    }

    private let state = Locked(State())

    // MARK: What the test sets and reads

    /// The routes that were called, such as `PUT device`.
    var routes: [String] { state.withLock { $0.calls.map(\.route) } }
    var calls: [Call] { state.withLock { $0.calls } }
    var devices: [String: Device] { state.withLock { $0.devices } }

    func failAll(from number: Int, _ fault: Fault) { state.withLock { $0.away = (number, fault) } }
    func heal() {
        state.withLock {
            $0.away = nil
            $0.faults = [:]
        }
    }
    func clearCalls() { state.withLock { $0.calls = [] } }
    func calls(_ route: String) -> [Call] { calls.filter { $0.route == route } }
    func fail(_ route: String, _ faults: Fault...) { state.withLock { $0.faults[route, default: []] += faults } }
    func fail(_ route: String, _ fault: Fault, times: Int) {
        state.withLock { $0.faults[route, default: []] += Array(repeating: fault, count: times) }
    }
    func setUnread(_ count: Int, for consumer: String) { state.withLock { $0.unread[consumer] = count } }
    func setLifetime(_ seconds: Int) { state.withLock { $0.lifetime = seconds } }
    func offer(_ details: JSONValue?) { state.withLock { $0.offer = details } }
    func addToInbox(_ items: JSONValue...) { state.withLock { $0.inbox += items } }
    func setMerges(_ merges: Bool) { state.withLock { $0.merges = merges } }
    func expireSessions() {
        state.withLock { state in for token in state.sessions.keys { state.sessions[token]?.isExpired = true } }
    }
    func revokeSessions() {
        state.withLock { state in for token in state.sessions.keys { state.sessions[token]?.isRevoked = true } }
    }
    func expire(assertion: String) { state.withLock { _ = $0.expiredAssertions.insert(assertion) } }

    /// Opens a session as a back-end does.
    func mint(_ consumer: String) -> String {
        state.withLock { Self.mint(&$0, consumer, isAnonymous: false, device: nil) }
    }

    /// Returns a JWT of a consumer; the model reads `sub` and checks no signature.
    static func jwt(_ consumer: String, _ salt: String = "") -> String {
        let claims = JSONValue.object(["sub": .string(consumer), "salt": .string(salt)]).data
        return "eyJhbGciOiJSUzI1NiJ9." + Base64URL.encode(Array(claims)) + ".c2ln"
    }

    // MARK: The model

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = request.body.flatMap { JSONValue(parsing: $0) } ?? .null
        let route = Self.route(request)
        let fault = state.withLock { state -> Fault? in
            state.calls.append(Call(route: route, request: request, body: body))
            if let away = state.away, state.calls.count > away.from { return away.fault }
            guard let fault = state.faults[route]?.first else { return nil }
            state.faults[route]?.removeFirst()
            return fault
        }
        await Task.yield()
        switch fault {
        case .drop: throw URLError(.networkConnectionLost)
        case .dropResponse:
            _ = state.withLock { Self.handle(&$0, route, request, body) }
            throw URLError(.timedOut)
        case .problem(let status, let code, let reason, let retryAfter):
            return Self.problem(status, code, reason: reason, retryAfter: retryAfter)
        case .garbage(let status): return HTTPResponse(status: status, body: Data("<html>".utf8))
        case .empty(let status): return HTTPResponse(status: status, body: Data("{}".utf8))
        case .body(let status, let body): return Self.json(status, body)
        case .hang:
            try await Task.sleep(for: .seconds(3600))
            throw URLError(.timedOut)
        case nil: return state.withLock { Self.handle(&$0, route, request, body) }
        }
    }

    private static func route(_ request: HTTPRequest) -> String {
        let parts = request.url.pathComponents.dropFirst()
        let last = parts.last ?? ""
        if parts.contains("ccaip") { return request.method + " exchange" }
        if parts.contains("devices") { return request.method + " device" }
        if last == "current" { return request.method + " session" }
        return request.method + " " + last
    }

    private static func mint(_ state: inout State, _ consumer: String, isAnonymous: Bool, device: String?) -> String {
        state.lastToken += 1
        let token = "session-\(state.lastToken)-of-\(consumer)"
        state.sessions[token] = Session(consumer: consumer, isAnonymous: isAnonymous, device: device)
        return token
    }

    private static func handle(
        _ state: inout State,
        _ route: String,
        _ request: HTTPRequest,
        _ body: JSONValue
    ) -> HTTPResponse {
        switch route {
        case "POST sessions": return login(&state, body)
        case "POST exchange": return exchange(&state, request, body)
        case "POST engagements":
            var members: [String: JSONValue] = ["pageId": "page", "sessionId": "visit", "visitorId": "visitor"]
            members["engagementDetails"] = state.offer
            return json(body["sessionId"] == nil ? 201 : 200, .object(members))
        default: break
        }
        if let response = bloomreach(state, route, request, body) { return response }
        guard let header = request.headers["Authorization"], header.hasPrefix("Bearer ") else {
            return problem(401, "unauthorized")
        }
        let token = String(header.dropFirst(7))
        guard let session = state.sessions[token], !session.isRevoked else {
            return problem(401, "token_invalid", reason: "revoked")
        }
        guard !session.isExpired else { return problem(401, "token_expired") }
        let device = request.url.pathComponents.last ?? ""
        switch route {
        case "DELETE session":
            state.sessions[token] = nil
            let scope = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems?.first?.value
            for (id, each) in state.devices where each.consumer == session.consumer {
                if scope == "all" { state.devices[id] = nil }
                if scope == "agent" { state.devices[id]?.receives = ["proactive"] }
            }
            return HTTPResponse(status: 204)
        case "PUT device":
            let push = body["token"]?.text ?? ""
            if let known = state.devices[device], known.consumer != session.consumer, known.token != push {
                return problem(409, "conflict")
            }
            for (id, each) in state.devices where each.token == push && id != device { state.devices[id] = nil }
            let isNew = state.devices[device] == nil
            state.devices[device] = Device(
                consumer: session.consumer,
                token: push,
                receives: (body["receives"]?.elements ?? []).compactMap(\.text)
            )
            return json(isNew ? 201 : 200, ["deviceId": .string(device), "state": "active"])
        case "GET device":
            guard state.devices[device]?.consumer == session.consumer else { return problem(404, "not_found") }
            return json(200, ["deviceId": .string(device), "state": "active"])
        case "GET unread":
            return json(200, ["unread": .integer(Int64(state.unread[session.consumer] ?? 0)), "conversations": []])
        case "POST read":
            state.unread[session.consumer] = 0
            return json(200, ["unread": 0])
        case "POST tap":
            return json(200, ["kind": "agent", "conversation": "c-9", "sequence": 7])
        case "POST conversations": return json(201, ["id": "c-new", "unread": 0, "lastSequence": 0, "readSequence": 0])
        case "POST resolve": return HTTPResponse(status: 204)
        case "POST receipts": return json(202, ["recorded": 1, "results": []])
        case "GET messages", "GET proactive":
            return json(
                200,
                ["items": [["messageId": "m-1", "text": "hi", "from": "agent", "kind": "agent"]], "nextCursor": .null]
            )
        default: return problem(404, "not_found")
        }
    }

    /// Handles Bloomreach's routes; nil for the others.
    ///
    /// The API key is `key`, and every customer token is valid.
    private static func bloomreach(
        _ state: State,
        _ route: String,
        _ request: HTTPRequest,
        _ body: JSONValue
    ) -> HTTPResponse? {
        let header = request.headers["Authorization"] ?? ""
        let isInbox = ["POST fetch", "POST markasread"].contains(route)
        switch route {
        case "POST customers", "POST events", "POST clicks", "POST categories", "POST fetch", "POST markasread",
            "POST send-self-check-notification":
            guard header == "Token key" || (isInbox && header.hasPrefix("Bearer ")) else {
                return json(401, ["success": false, "error": "Access key not provided"])
            }
        default: return nil
        }
        switch route {
        case "POST categories":
            let category: JSONValue = [
                "id": "news", "legitimate_interest": false, "sources": ["crm": true, "page": false],
                "translations": ["en": ["name": "News", "description": .null]],
            ]
            return json(200, ["success": true, "results": [category, ["legitimate_interest": true]]])
        case "POST fetch":
            let known = body["sync_token"]?.text.flatMap { Int($0.dropFirst(5)) } ?? 0
            let items = Array(state.inbox.dropFirst(known))
            return json(
                200,
                ["success": true, "sync_token": .string("sync-\(state.inbox.count)"), "messages": .array(items)]
            )
        default: return json(200, ["success": true])
        }
    }

    private static func login(_ state: inout State, _ body: JSONValue) -> HTTPResponse {
        let device = body["deviceId"]?.text
        var consumer: String
        var isMerged = false
        switch body["grant"]?.text {
        case "assertion":
            let token = body["token"]?.text ?? ""
            if state.expiredAssertions.contains(token) { return problem(401, "token_expired") }
            guard let subject = AuthenticationParameters(jwt: token).subject else {
                return problem(401, "token_invalid", reason: "bad_signature")
            }
            consumer = subject
        case "code":
            let code = body["code"]?.text ?? ""
            guard state.usedCodes.insert(code).inserted else {
                return problem(401, "token_invalid", reason: "code_reused")
            }
            consumer = "of-" + code.prefix(3)
        case "anonymous":
            state.anonymousCount += 1
            let name = "anonymous-\(state.anonymousCount)"
            let token = mint(&state, name, isAnonymous: true, device: device)
            return session(state, token, name, isAnonymous: true)
        default: return problem(422, "invalid_request")
        }
        if state.merges, let proof = body["anonymousToken"]?.text, let old = state.sessions[proof] {
            state.unread[consumer, default: 0] += state.unread[old.consumer] ?? 0
            state.sessions[proof] = nil
            isMerged = true
        }
        let token = mint(&state, consumer, isAnonymous: false, device: device)
        return session(state, token, consumer, isMerged: isMerged)
    }

    private static func session(
        _ state: State,
        _ token: String,
        _ consumer: String,
        isAnonymous: Bool = false,
        isMerged: Bool = false
    ) -> HTTPResponse {
        json(
            201,
            [
                "sessionToken": .string(token), "expiresIn": .integer(Int64(state.lifetime)),
                "consumer": ["id": .string(consumer), "anonymous": .bool(isAnonymous)], "merged": .bool(isMerged),
            ]
        )
    }

    private static func exchange(_ state: inout State, _ request: HTTPRequest, _ body: JSONValue) -> HTTPResponse {
        guard request.headers["X-SDK-Key-Name"] != nil else { return adaptorError(401, "unauthorized") }
        let signed = body["token"]?.text ?? ""
        guard signed.hasPrefix("signed:") else { return adaptorError(401, "token_invalid", reason: "bad_signature") }
        let consumer = String(signed.dropFirst(7))
        let token = mint(&state, consumer, isAnonymous: false, device: body["device_id"]?.text)
        return json(
            200,
            [
                "auth_token": .string(token), "expires_in": .integer(Int64(state.lifetime)),
                "end_user": ["id": .string(consumer), "anonymous": false], "merged": false,
            ]
        )
    }

    private static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, body: value.data)
    }

    private static func problem(
        _ status: Int,
        _ code: String,
        reason: String? = nil,
        retryAfter: Int? = nil
    ) -> HTTPResponse {
        var members: [String: JSONValue] = [
            "type": "about:blank", "title": "x", "status": .integer(Int64(status)), "detail": "the gateway says no",
            "code": .string(code), "retryable": .bool(status >= 500), "requestId": "r-1",
        ]
        members["reason"] = reason.map { .string($0) }
        return HTTPResponse(
            status: status,
            headers: retryAfter.map { ["retry-after": String($0)] } ?? [:],
            body: JSONValue.object(members).data
        )
    }

    private static func adaptorError(_ status: Int, _ code: String, reason: String? = nil) -> HTTPResponse {
        json(
            status,
            [
                "error": [
                    "code": .string(code), "reason": reason.map { .string($0) } ?? .null, "message": "no",
                    "retryable": false, "requestId": "r-2",
                ]
            ]
        )
    }
}
