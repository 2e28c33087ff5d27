internal import Cryptography
internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import NIOCore
internal import TextFormats

/// The push proxy to which LivePerson's platform posts the pushes of its conversations (ComingFromLivePerson page).
///
/// Each push is for one device. Those of one message have the same conversation and sequence: it is stored once, and
/// pushed once to each device that is named.
enum LivePersonPushProxy {
    static let path = "/v1/brands/:brand/push-proxy"

    static func add(to routes: inout RouteTable) {
        routes.on(.post, path, errors: .adaptor) { call in
            do { return try await receive(call) } catch let problem as Problem { throw retryable(problem) }
        }
    }

    /// Returns the error for the platform, which sends a push again only after a 5xx.
    static func retryable(_ problem: Problem) -> Problem {
        guard problem.code == .rateLimited else { return problem }
        var problem = problem
        (problem.code, problem.status) = (.overloaded, ProblemCode.overloaded.status)
        return problem
    }

    /// Returns the message of a push; nil for other requests.
    static func submission(_ call: Call, _ body: ByteBuffer) throws(Problem) -> EventSubmission? {
        guard let (caller, brand) = call.knownBackend(.eventsWrite, authorization: call.pushProxyAuthorization),
            brand.settings.wire.liveperson
        else { return nil }
        return submission(of: try read(try call.object(in: body), brand), caller, brand)
    }

    private static func receive(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.eventsWrite, authorization: call.pushProxyAuthorization)
        guard brand.settings.wire.liveperson else { throw Problem.notFound("resource") }
        let (envelope, token) = try read(try await call.object(), brand)
        if let caller = call.context.notes.caller, let submission = submission(of: (envelope, token), caller, brand) {
            return try await submission.perform(call)
        }
        let found = try await call.read { store throws(StorageError) in
            try await store.registrations(brand: brand.id, tokens: [token.text], pushType: token.pushType)
        }
        guard found.first?.state == .active else { throw notReceived }
        return ResponseFactory.json(.ok, text(nil, deliveries: 0))
    }

    /// Reads the body; throws `Problem` 400, and 403 for another brand's push and for a token that no device can have.
    private static func read(
        _ body: BodyObject,
        _ brand: Brand
    ) throws(Problem) -> (LivePersonEnvelope, AgentEvent.TokenName) {
        var checks = FieldChecks()
        let read = LivePersonEnvelope(body, &checks)
        let envelope = try checks.finish(read)
        guard envelope.brand.map({ $0.hasSameBytes(as: brand.id.rawValue) }) ?? true,
            let token = envelope.pushType.transport.tokenRule.normalised(envelope.token)
        else { throw notReceived }
        return (envelope, AgentEvent.TokenName(text: token, pushType: envelope.pushType))
    }

    private static let notReceived = Problem(.forbidden, "The device token cannot receive such pushes.")

    /// Returns the message of a push; nil for one that shows nothing.
    private static func submission(
        of read: (envelope: LivePersonEnvelope, token: AgentEvent.TokenName),
        _ caller: Caller,
        _ brand: Brand
    ) -> EventSubmission? {
        guard let event = read.envelope.event(for: read.token) else { return nil }
        return EventSubmission(caller: caller, brand: brand, events: [event]) { _, results throws(Problem) in
            switch results.first {
            case .decided(.accepted(let stored))?, .decided(.duplicate(let stored, _))?:
                return (.ok, text(stored.messageID, deliveries: Int64(stored.deliveries)))
            case .decided(.rejected(let rejection))?: throw Problem(rejection)
            case .failed(let error)?: throw Problem(error)
            case nil: throw Problem(.internal, "The push was not stored.")
            }
        }
    }

    private static func text(_ message: MessageID?, deliveries: Int64) -> ByteBuffer {
        var writer = JSONWriter(capacity: 96)
        writer.literal("{")
        writer.member("messageId", message?.description)
        writer.member("deliveries", deliveries)
        writer.literal("}")
        return ByteBuffer(bytes: writer.bytes)
    }
}

/// A push as LivePerson's platform posts it (https://developers.liveperson.com, "Push notification service"): with the
/// members of APNs, or in a `payload` of the map of FCM and Huawei, as an object or as JSON text.
private struct LivePersonEnvelope {
    var pushType: PushType
    /// The device's token: secret.
    var token: String
    var brand: String?
    var kind: MessageKind
    /// Whether it is silent or only sets the badge, as another gateway sends it (``PushPayloads/PushProxyRenderer``): the
    /// gateway counts what is unread itself, and there is nothing to store.
    let showsNothing: Bool
    private var id: EventID?
    private var conversation: ConversationID?
    private var dialog: String?
    private var originator: String?
    private var sequence: Int64?
    private var title: String?
    private var text: String
    private var sound: String?

    /// Reads the body; nil when a member is invalid, which is recorded as an error.
    init?(_ body: BodyObject, _ checks: inout FieldChecks) {
        let token = checks.text(body["device-token"], isRequired: true)
        guard let service = checks.integer(body["push-service"], in: 1...3, isRequired: true) else { return nil }
        pushType = service == 1 ? .apns : service == 2 ? .fcm : .huawei
        let shown = checks.object(body[service == 1 ? "aps" : "data"], isRequired: true)
        let members = service == 1 ? body : shown.flatMap { Self.payload($0["payload"], &checks) }
        guard let token, let shown, let members else { return nil }
        self.token = token
        let content = shown[service == 1 ? "alert" : "message"]
        let names: [BoundedName] = ["conversationId", "messageId", "id"]
        let onlySetsBadge =
            content.isEmpty && !members["badge"].isEmpty && names.allSatisfy { members[$0].isEmpty }
        showsNothing = onlySetsBadge || members["silent"].value == .bool(true)
        text = ""
        if service == 1 {
            sound = checks.line(shown["sound"], atMost: EventLimits.nameBytes)
            let parts = showsNothing ? (title: nil, text: nil) : Self.alert(content, &checks)
            title = parts.title
            text = parts.text ?? ""
        } else if !showsNothing {
            text = checks.content(content, atMost: EventLimits.textBytes, isRequired: true) ?? ""
        }
        let backend = checks.text(members["backendService"])
        switch backend.flatMap({ BoundedName($0) }) {
        case nil where backend == nil: kind = .agent
        case "ams": kind = .agent
        case "prmsg": kind = .proactive
        case "c2m": kind = .c2m
        default:
            checks.fail(members["backendService"].pointer, "must be ams, prmsg or c2m")
            return nil
        }
        brand = checks.text(members["brandId"])
        conversation = checks.identifier(members["conversationId"], as: ConversationID.self)
        dialog = checks.line(members["dialogId"], atMost: EventLimits.identifierBytes)
        originator = checks.line(members["originatorId"], atMost: EventLimits.identifierBytes)
        sequence = Self.number(members["sequence"], &checks)
        let named = members[members["messageId"].isEmpty ? "id" : "messageId"]
        let message = checks.line(named, atMost: EventLimits.identifierBytes)
        // A resend has no id of its own.
        if showsNothing {
            id = nil
        } else if let conversation, let sequence {
            id = Self.id([conversation.rawValue, String(sequence)])
        } else if let message {
            id = Self.id([message])
        } else {
            checks.fail(members["sequence"].pointer, "is required beside conversationId, unless there is a messageId")
            return nil
        }
    }

    /// Returns the event of the message, with a push for one device; nil if it shows nothing.
    func event(for token: AgentEvent.TokenName) -> AgentEvent? {
        guard let id else { return nil }
        let type: EventType = kind == .agent ? .agentMessage : .proactiveMessage
        // The token's registration has the consumer.
        var event = AgentEvent(id: id, type: type, consumer: ConsumerID(trusted: ""))
        event.source = "liveperson"
        event.kind = kind
        event.conversation = conversation
        event.dialog = dialog
        event.agentID = originator
        event.sourceSequence = sequence
        event.title = title
        event.text = text
        event.sound = sound
        event.token = token
        return event
    }

    /// Returns an id of 24 characters of base64url: part of a hash, because the parts may be longer than an id.
    private static func id(_ parts: [String]) -> EventID {
        let hash = SHA256.hash(data: Array(parts.joined(separator: "\u{1F}").utf8))
        return EventID(trusted: StrictBase64.encode(hash.prefix(18), .url))
    }

    private static func alert(_ member: BodyMember, _ checks: inout FieldChecks) -> (title: String?, text: String?) {
        guard case .object? = member.value, let alert = checks.object(member) else {
            return (nil, checks.content(member, atMost: EventLimits.textBytes, isRequired: true))
        }
        return (
            checks.content(alert["title"], atMost: EventLimits.titleBytes),
            checks.content(alert["body"], atMost: EventLimits.textBytes, isRequired: true)
        )
    }

    private static func payload(_ member: BodyMember, _ checks: inout FieldChecks) -> BodyObject? {
        guard case .string(let text)? = member.value else { return checks.object(member, isRequired: true) }
        guard let members = (try? StrictJSON.parse(Array(text.utf8), takesZeroFractions: true))?.members else {
            checks.fail(member.pointer, "must be a JSON object, or its text")
            return nil
        }
        return BodyObject(at: member.place, members: members)
    }

    /// Reads a number, which is a text in maps of texts.
    private static func number(_ member: BodyMember, _ checks: inout FieldChecks) -> Int64? {
        guard case .string(let text)? = member.value else { return checks.integer(member, in: 0...Int64.max) }
        guard text.utf8.count <= 20, let number = Int64(text), number >= 0 else {
            checks.fail(member.pointer, "must be a whole number")
            return nil
        }
        return number
    }
}

extension Call {
    /// The credential of a platform that sends only headers of its own, `SwitchboardAccount` and `SwitchboardSecret`, as
    /// Basic; nil without these, and for a request with `Authorization`.
    fileprivate var pushProxyAuthorization: String? {
        guard request.headers.value(.authorization) == nil, let id = request.headers.value(.switchboardAccount),
            let secret = request.headers.value(.switchboardSecret)
        else { return nil }
        return "Basic " + StrictBase64.encode(Array((id + ":" + secret).utf8), .standard)
    }
}
