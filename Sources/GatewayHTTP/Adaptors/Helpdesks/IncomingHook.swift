internal import GatewayModel
internal import Identity
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
            let values = try values(of: ChatwootTranslation.selection)
            let id = id("x-chatwoot-delivery")
            return ChatwootTranslation.translate(values, id: id, hook: hook.id, source: hook.source)
        case .generic:
            let values = try values(of: hook.mapping?.selection ?? Self.nothing)
            return try HookMapping.translate(values, by: hook.mapping, id: id("webhook-id"), source: hook.source)
        }
    }

    private static let nothing = StrictJSON.Selection([StrictJSON.Pointer]())

    private func values(of selection: StrictJSON.Selection) throws(Problem) -> [StrictJSON?] {
        do throws(StrictJSON.Rejection) {
            return try StrictJSON.parse(body, maxDepth: EventParser.maxDepth, selecting: selection)
        } catch { throw Problem(error) }
    }

    private func id(_ name: String) -> String { header(name) ?? HookTranslation.id(ofBody: body) }

    /// Validates an event as if it were posted.
    ///
    /// - Parameters:
    ///   - members: The members of the event.
    ///   - missing: The pointers that found nothing, which are the cause of an invalid event.
    ///   - reader: Validates it.
    ///   - now: The present.
    /// - Returns: The event, alone.
    /// - Throws: `Problem` 422 and 413.
    func event(
        _ members: StrictJSON.Members,
        missing: [FieldProblem],
        _ reader: EventReader,
        now: Timestamp
    ) throws(Problem) -> EventBatch {
        do throws(Problem) {
            var batch = EventBatch()
            batch.events = [try reader.event(of: members, now: now)]
            return batch
        } catch {
            throw error.status == 422 && !missing.isEmpty ? Problem(invalid: missing) : error
        }
    }
}
