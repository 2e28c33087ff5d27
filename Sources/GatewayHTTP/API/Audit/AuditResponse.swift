internal import GatewayModel
internal import GatewayStorage

/// An entry of the audit trail in a response.
struct AuditResponse: Encodable {
    struct Actor: Encodable {
        var kind: String
        var id: String
    }

    var id: String
    var at: String
    var brand: String?
    var actor: Actor
    var action: String
    var target: String
    var changes: [String]
    var requestId: String?
    var count: Int64?

    private enum CodingKeys: String, CodingKey {
        case id, at, brand, actor, action, target, changes, requestId, count
    }

    init(_ record: AuditRecord) {
        let entry = record.entry
        id = String(record.id)
        at = entry.at.rfc3339
        brand = entry.brand?.rawValue
        actor = Actor(kind: entry.actor.kind.rawValue, id: entry.actor.id)
        action = entry.action.rawValue
        target = entry.target
        changes = entry.changes
        requestId = entry.requestID
        count = entry.count
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(at, forKey: .at)
        // Present and null for changes of the whole instance.
        try members.encode(brand, forKey: .brand)
        try members.encode(actor, forKey: .actor)
        try members.encode(action, forKey: .action)
        try members.encode(target, forKey: .target)
        try members.encode(changes, forKey: .changes)
        // Present and null when the change did not come from a request.
        try members.encode(requestId, forKey: .requestId)
        try members.encodeIfPresent(count, forKey: .count)
    }
}
