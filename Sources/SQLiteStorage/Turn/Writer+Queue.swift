import GatewayModel
import GatewayStorage

extension Writer {
    /// Writes an outbox row, held or not: owned when its lane has a slot and nothing older of the registration waits; then ends the
    /// older rows that it takes the place of.
    ///
    /// In this order, so that it inherits their due time: a provider that asked for a pause gets it.
    func queue(_ row: TurnContext.NewRow, _ context: inout TurnContext) throws {
        let lane = LaneID(row.registration.lane)
        let now = context.turn.now
        let slots = context.slots[lane] ?? 0
        var isOwned = slots > 0 && !row.isHeld && !context.waiting.contains(row.registration.id)
        var due = now
        var notBefore: Int64 = 0
        // One that is held gets its place in the order when it is released.
        if !row.isHeld, !isOwned || context.turn.budgets[lane]?.mayHaveBacklog == true {
            // Behind what waits already, so that the order by due time is the order of the device.
            // Due times of a registration's waiting rows never fall from older to younger: the youngest says the latest.
            let older = try db.prepare(
                "SELECT due, not_before FROM outbox WHERE registration = ? AND owner IS NULL ORDER BY id DESC LIMIT 1"
            ).int(row.registration.id)
            if try older.next() {
                isOwned = false
                due = max(now, Timestamp(milliseconds: older.int64(0)))
                notBefore = older.int64(1)
                older.end()
            }
        }
        try db.prepare(
            """
            INSERT INTO outbox (id, lane, registration, conversation, sequence, message, kind, owner, due, \
            expires_at, queued_at, collapse, held, campaign, not_before) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(row.id).int(row.registration.lane).int(row.registration.id).int(row.conversation)
        .int(row.message?.sequence).int(row.message.map { Int64(bitPattern: $0.id.high) }).int(row.kind.rawValue)
        .int(isOwned || row.isHeld ? context.turn.incarnation.rawValue : nil).int(due.milliseconds)
        .int(row.expiresAt.milliseconds).int(now.milliseconds).text(row.message?.collapseKey)
        .int(row.isHeld ? 1 : 0).int(row.campaign).int(notBefore).run()
        try noteQueued(row.id, at: now.milliseconds)
        context.noteNew(row.id)
        if row.isHeld {
            context.held.made += 1
        } else if isOwned {
            context.slots[lane] = slots - 1
            context.owned.append(outboxRow(row, now: now))
            context.ownedConsumers.append(row.consumer)
        } else {
            context.noteUnowned(row.id, of: row.registration, due: due)
        }
        if row.kind == .badge || row.message?.collapseKey != nil { try collapse(before: row, &context) }
    }

    /// A new row as the lane gets it, but for the unread count, which is that of the turn's end.
    private func outboxRow(_ row: TurnContext.NewRow, now: Timestamp) -> OutboxRow {
        OutboxRow(
            id: DeliveryID(row.id),
            lane: LaneID(row.registration.lane),
            registration: RegistrationID(row.registration.id),
            token: row.registration.token,
            platform: row.registration.platform,
            traits: row.registration.traits,
            consumer: ConsumerKey(row.consumer.key),
            unread: row.consumer.unread,
            kind: row.kind,
            conversation: row.conversation.map(ConversationKey.init),
            message: row.message,
            attempts: 0,
            expiresAt: row.expiresAt,
            queuedAt: now
        )
    }
}
