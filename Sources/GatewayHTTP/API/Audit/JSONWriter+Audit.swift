internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

extension JSONWriter {
    /// Appends an entry of the audit trail.
    mutating func audit(_ record: AuditRecord) {
        let entry = record.entry
        literal("{")
        member("id", String(record.id))
        member("at", entry.at)
        // Null for changes of the whole instance.
        member("brand", orNull: entry.brand?.rawValue)
        member("actor", entry.actor)
        member("action", entry.action.rawValue)
        member("target", entry.target)
        array("changes", entry.changes) { $0.string($1) }
        // Null when the change did not come from a request.
        member("requestId", orNull: entry.requestID)
        member("count", entry.count)
        member("reason", entry.reason)
        literal("}")
    }

    /// Appends a member with a caller.
    mutating func member(_ name: StaticString, _ actor: AuditActor) {
        self.name(known: name)
        literal(#"{"kind":"#)
        string(actor.kind.rawValue)
        member("id", actor.id)
        literal("}")
    }
}
