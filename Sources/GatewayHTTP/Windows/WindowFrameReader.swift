internal import GatewayModel
internal import GatewayStorage
internal import Messaging
internal import TextFormats

/// Parses a client's messages in a window, as strictly as request bodies.
enum WindowFrameReader {
    /// Parses a whole message, also LivePerson's `GetClock` if `isLivePerson`; throws ``WindowClose`` when it is not a
    /// JSON object.
    static func read(_ text: [UInt8], isLivePerson: Bool = false) throws(WindowClose) -> ClientFrame {
        let value: StrictJSON
        do {
            value = try StrictJSON.parse(text, maxDepth: EventParser.maxDepth, takesZeroFractions: true)
        } catch .duplicate { throw .unreadable("a member appears twice") } catch {
            throw .unreadable("not JSON")
        }
        guard case .object(let members) = value else { throw .unreadable("not an object") }
        let body = BodyObject(members: members, text: text)
        var checks = FieldChecks()
        let type = checks.text(body["type"], isRequired: true)
        var ref = type
        do {
            return switch type.flatMap({ BoundedName($0) }) {
            case "resume": try resume(body, &checks)
            case "ack": try ack(body, &checks)
            case "send": try send(body, &checks, &ref)
            case "typing": .typing(try checks.finish(conversation(body["conversation"], &checks)))
            case "reauthenticate":
                .reauthenticate(token: try checks.finish(checks.text(body["sessionToken"], isRequired: true)))
            case "GetClock" where isLivePerson:
                .clock(
                    id: try checks.finish(
                        checks.line(body["id"], atMost: EventLimits.identifierBytes, isRequired: true)
                    )
                )
            case nil where type == nil: try wrong(&checks)
            default: .wrong(WindowError(.invalidRequest, "The type is not known.", ref: short(ref)))
            }
        } catch {
            let detail = error.errors.first.map { "\($0.pointer) \($0.detail)." } ?? error.detail
            return .wrong(WindowError(.invalidRequest, detail, ref: short(ref)))
        }
    }

    private static func wrong(_ checks: inout FieldChecks) throws(Problem) -> ClientFrame {
        try checks.finish()
        throw Problem(.internal, "Internal error of the gateway.")
    }

    private static func resume(_ body: BodyObject, _ checks: inout FieldChecks) throws(Problem) -> ClientFrame {
        var list: [ClientFrame.Resumption] = []
        let items = checks.items(body["conversations"], atMost: WindowLimits.maxResumed, isRequired: true) ?? []
        for item in items {
            guard let members = checks.object(item, isRequired: true) else { continue }
            let id = conversation(members["id"], &checks)
            let after = checks.integer(members["afterSequence"], in: 0...Int64.max, isRequired: true)
            if let id, let after { list.append(.init(conversation: id, afterSequence: after)) }
        }
        try checks.finish()
        return .resume(list)
    }

    private static func ack(_ body: BodyObject, _ checks: inout FieldChecks) throws(Problem) -> ClientFrame {
        let id = conversation(body["conversation"], &checks)
        let upTo = checks.integer(body["upToSequence"], in: 0...Int64.max, isRequired: true)
        let (conversation, sequence) = try checks.finish(id, upTo)
        return .ack(conversation, upToSequence: sequence)
    }

    private static func send(
        _ body: BodyObject,
        _ checks: inout FieldChecks,
        _ ref: inout String?
    ) throws(Problem) -> ClientFrame {
        let clientID = checks.clientID(body["clientId"])
        if let clientID { ref = clientID.rawValue }
        let id = conversation(body["conversation"], &checks)
        let text = checks.messageText(body["text"])
        let data = checks.messageData(of: body)
        let (client, conversation, words) = try checks.finish(clientID, id, text)
        return .send(ClientMessage(clientID: client, conversation: conversation, text: words, data: data))
    }

    private static func conversation(_ member: BodyMember, _ checks: inout FieldChecks) -> ConversationID? {
        checks.identifier(member, as: ConversationID.self, isRequired: true)
    }

    private static func short(_ ref: String?) -> String? {
        guard let ref, ref.utf8.count <= EventLimits.identifierBytes else { return nil }
        return ref
    }
}
