internal import GatewayModel
internal import Identity
internal import NIOCore
internal import TextFormats

/// A webhook that arrived, and its translation: the same for a real one and for a trial.
struct IncomingHook {
    /// The webhook's settings.
    let hook: DirectoryHook
    /// The body, byte for byte.
    let body: [UInt8]
    /// Returns the value of a header by its name in lower case.
    let header: (String) -> String?

    /// Translates it; throws `Problem` 400 and 422 for a body that is no JSON, and 413.
    func translation() throws(Problem) -> HookTranslation {
        let selection = hook.settings.kind == .chatwoot ? ChatwootTranslation.selection : hook.selection
        let value: StrictJSON
        do throws(StrictJSON.Rejection) {
            value = try StrictJSON.parse(body, maxDepth: EventParser.maxDepth, keeping: selection)
        } catch { throw Problem(error) }
        let given = header(hook.settings.kind == .chatwoot ? "x-chatwoot-delivery" : "webhook-id")
        let id = given ?? HookTranslation.id(ofBody: body)
        switch hook.settings.kind {
        case .chatwoot: return ChatwootTranslation.translate(value, id: id, hook: hook.id)
        case .generic:
            return try HookMapping.translate(value, by: hook.mapping ?? .null, id: id, source: hook.id.source)
        }
    }

    /// Validates an event as if it were posted.
    ///
    /// - Parameters:
    ///   - text: The JSON of the event.
    ///   - missing: The pointers that found nothing, which are the cause of an invalid event.
    ///   - services: The parser and the clock.
    /// - Returns: The event, alone.
    /// - Throws: `Problem` 422 and 413.
    func event(_ text: [UInt8], missing: [FieldProblem], _ services: GatewayServices) throws(Problem) -> EventBatch {
        var pieces = try services.events.open(ByteBuffer(bytes: text), format: .json, now: services.clock.now)
        guard let piece = try pieces.next() else { throw EventParseError.malformed }
        if let refused = piece.refused.first {
            throw missing.isEmpty ? refused.problem : Problem(invalid: missing)
        }
        return piece
    }
}
