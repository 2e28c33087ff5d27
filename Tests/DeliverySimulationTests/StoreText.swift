import GatewayModel
import GatewayStorage

/// Texts of stores' results that are equal when the results are: unordered data is sorted.
enum StoreText {
    static func text(_ start: IncarnationStart) -> String {
        "incarnation \(start.incarnation) at \(start.now), recovered \(start.recovered), backlog \(text(start.backlog)), "
            // The second half of its id belongs to the message.
            + "last message \(start.lastMessage?.high ?? 0), "
            + "stopped \(start.stopped.sorted { $0.key.rawValue < $1.key.rawValue })"
    }

    static func text(_ lanes: [LaneID]) -> String { "lanes \(lanes.map(\.rawValue).sorted())" }

    static func text(_ result: WriterTurnResult) -> String {
        var lines: [String] = []
        for effect in result.outcomes { lines.append("outcome ended \(effect.ended)") }
        for change in result.changes { lines.append("change \(text(change))") }
        for events in result.accepts { for event in events { lines.append("event \(event)") } }
        for row in result.owned { lines.append("owned \(text(row))") }
        lines.append("unowned \(text(result.unowned))")
        for claim in result.claims {
            lines.append(
                "claim \(claim.lane) \(claim.queue.rawValue), next \(claim.nextDue?.milliseconds ?? -1), behind \(claim.behind)"
            )
            for row in claim.rows { lines.append("claimed \(text(row))") }
        }
        lines.append("requeued \(result.requeued)")
        lines.append("stopped \(result.stopped.sorted { $0.key.rawValue < $1.key.rawValue })")
        lines.append("invalidated \(result.invalidations), put back \(result.putBacks)")
        let withdrawn = result.updates.withdrawn.map { "\($0.delivery)@\($0.registration)" }.sorted()
        lines.append("withdrawn \(withdrawn)")
        let unread = result.updates.unread.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
        lines.append("unread \(unread)")
        lines.append("held \(result.held.made), \(result.held.released), \(result.held.suppressed)")
        for event in result.updates.windowEvents {
            lines.append("news of \(event.consumer.consumer): \(text(event.kind))")
        }
        lines.append("sessions ended of \(result.updates.endedSessions.map(\.consumer))")
        return lines.joined(separator: "\n")
    }

    private static func text(_ kind: WindowEvent.Kind) -> String {
        switch kind {
        case .message(let message): "\(message.id) \(message.consumer) \(message.conversation) \(message.sequence)"
        case .read(let conversation, let sequence, let unread): "read \(conversation) \(sequence) \(unread)"
        case .resolved(let conversation, let byConsumer): "resolved \(conversation) \(byConsumer)"
        case .typing(let conversation, let byConsumer): "typing \(conversation) \(byConsumer)"
        }
    }

    private static func text(_ backlog: [LaneQueue: Timestamp]) -> String {
        "\(backlog.sorted { $0.key < $1.key }.map { ($0.key.lane, $0.key.queue.rawValue, $0.value.milliseconds) })"
    }

    private static func text(_ change: StoreChangeResult) -> String {
        guard case .registered(let change) = change else { return "\(change)" }
        let registration = change.registration
        return "registered \(registration.id) \(registration.device) of \(registration.consumer), lane "
            + "\(registration.lane), \(registration.token), \(registration.receives.names), created \(change.created), "
            + "at \(registration.createdAt), ended \(change.ended)"
    }

    private static func text(_ traits: DeviceTraits?) -> String {
        "\(traits?.timeZone ?? "-") \(traits?.quietHours.map { "\($0)" } ?? "-")"
    }

    private static func text(_ row: OutboxRow) -> String {
        "\(row.id) lane \(row.lane), \(row.registration) \(row.token) \(row.platform) \(text(row.traits)), consumer \(row.consumer.rawValue), "
            + "unread \(row.unread), \(row.kind) in \(row.queue.rawValue), conversation \(row.conversation?.rawValue ?? 0), "
            + "message \(row.message?.id.description ?? "none") \(row.message?.sequence ?? 0) "
            + "\(row.message?.collapseKey ?? "-") \(row.message?.silent == true), tries \(row.attempts), "
            + "until \(row.expiresAt), since \(row.queuedAt), agents' \(row.receivesAgents)"
    }
}
