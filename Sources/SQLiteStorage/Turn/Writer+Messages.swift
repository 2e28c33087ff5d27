import GatewayModel
import GatewayStorage
import TurnRules

/// Messages and their deliveries, as the rules write and read them.
extension Writer {
    /// Inserts a message whose conversation has counted it.
    func insert(_ message: Message, key: Int64, after previous: Int64, conversation: Int64) throws {
        try db.prepare(
            """
            INSERT INTO messages (key, low, conversation, sequence, counts, kind, source_sequence, dialog, agent_id, \
            agent_nickname, text, title, data, link_ios, link_android, link_web, priority, collapse_key, category, sound, \
            silent, accepted_at, sent_at, expires_at, look_back_until, campaign, consent, \
            previous) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(key).int(Int64(bitPattern: message.id.low)).int(conversation)
        .int(message.sequence).int(message.countsAsUnread ? 1 : 0).text(message.kind.rawValue)
        .int(message.sourceSequence).text(message.dialog).text(message.agentID).text(message.agentNickname)
        .text(message.text).text(message.title).text(message.data?.text)
        .text(message.link.ios).text(message.link.android).text(message.link.web)
        .text(message.priority.rawValue).text(message.collapseKey).text(message.category).text(message.sound)
        .int(message.silent ? 1 : 0).int(message.acceptedAt.milliseconds).int(message.sentAt.milliseconds)
        .int(message.expiresAt.milliseconds).int(message.lookBackUntil?.milliseconds).text(message.campaign)
        .text(message.consentCategory).int(previous).run()
        guard message.sequence.isMultiple(of: MessageChains.distance) else { return }
        try db.prepare("INSERT INTO message_positions (conversation, position, message) VALUES (?, ?, ?)")
            .int(conversation).int(message.sequence / MessageChains.distance).int(key).run()
    }

    /// Writes an outbox row, held or not.
    ///
    /// One of an earlier message is marked: the log's rows of stored messages are in the order of these (DeliverySearch), so
    /// it will enter the log as one without.
    func insert(_ row: TurnContext.NewRow, owner: IncarnationID?, at now: Timestamp) throws {
        try db.prepare(
            """
            INSERT INTO outbox (id, lane, registration, conversation, sequence, message, kind, owner, \
            expires_at, queued_at, collapse, held, campaign, queue, again) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(row.id).int(row.registration.lane).int(row.registration.id).int(row.conversation)
        .int(row.message?.sequence).int(row.message.map { Int64(bitPattern: $0.id.high) }).int(row.kind.rawValue)
        .int(owner?.rawValue).int(row.expiresAt.milliseconds).int(now.milliseconds).text(row.message?.collapseKey)
        .int(row.isHeld ? 1 : 0).int(row.campaign).int(row.queue.rawValue).int(row.isAgain ? 1 : 0).run()
        try noteQueued(row.id, at: now.milliseconds)
        if owner != nil, !row.isHeld { try noteUnderway(row, at: now) }
    }

    func visit(upTo sequence: Int64?, of conversation: KnownConversation, _ body: (MessageLink) -> Bool) throws {
        if let sequence {
            try chains.visit(upTo: sequence, of: conversation.head, body)
        } else {
            try chains.visit(from: conversation.lastMessage, in: conversation.key, body)
        }
    }

    func sequence(ofMessage id: MessageID, in conversation: Int64) throws -> Int64? {
        let row = try db.prepare("SELECT sequence FROM messages WHERE key = ? AND low = ? AND conversation = ?")
            .int(Int64(bitPattern: id.high)).int(Int64(bitPattern: id.low)).int(conversation)
        guard try row.next() else { return nil }
        defer { row.end() }
        return row.int64(0)
    }

    func storeReadSent(_ conversation: Int64, at now: Timestamp) throws {
        try db.prepare("UPDATE conversations SET told_at = ? WHERE key = ?").int(now.milliseconds).int(conversation)
            .run()
    }
}
