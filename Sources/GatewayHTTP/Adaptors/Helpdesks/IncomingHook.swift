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
        switch hook.settings.kind {
        case .chatwoot:
            let value = try parsed(ChatwootTranslation.selection)
            return ChatwootTranslation.translate(value, id: id("x-chatwoot-delivery"), hook: hook.id)
        case .generic:
            let value = try parsed(hook.mapping?.selection ?? .all)
            return try HookMapping.translate(value, by: hook.mapping, id: id("webhook-id"), source: hook.source)
        }
    }

    private func parsed(_ selection: StrictJSON.Selection) throws(Problem) -> StrictJSON {
        do throws(StrictJSON.Rejection) {
            return try StrictJSON.parse(body, maxDepth: EventParser.maxDepth, keeping: selection)
        } catch { throw Problem(error) }
    }

    private func id(_ name: String) -> String { header(name) ?? HookTranslation.id(ofBody: body) }

    /// Validates an event as if it were posted.
    ///
    /// - Parameters:
    ///   - members: The members of the event.
    ///   - missing: The pointers that found nothing, which are the cause of an invalid event.
    ///   - reader: Parses it.
    ///   - now: The present.
    /// - Returns: The event, alone.
    /// - Throws: `Problem` 422 and 413.
    func event(
        _ members: StrictJSON.Members,
        missing: [FieldProblem],
        _ reader: EventReader,
        now: Timestamp
    ) throws(Problem) -> EventBatch {
        // The order of the event's own members does not matter. `data` is stored and compared as text: it is sorted.
        var writer = JSONWriter(capacity: 1024, escapes: .numbers)
        writer.literal("{")
        for (name, value) in members {
            writer.name(name.text)
            value.write(to: &writer)
        }
        writer.literal("}")
        var pieces = try reader.open(ByteBuffer(bytes: writer.bytes), format: .json, now: now)
        guard let piece = try pieces.next() else { throw EventParseError.malformed }
        if let refused = piece.refused.first {
            throw missing.isEmpty ? refused.problem : Problem(invalid: missing)
        }
        return piece
    }
}
