import GatewayModel
import GatewayStorage

extension Writer {
    /// Writes an outbox row, held or not: owned when its lane has a slot and nothing older of the registration waits.
    ///
    /// Then ends the older rows that it replaces.
    ///
    /// In this order, so that it waits as long as they would have: a provider that asked for a pause gets it.
    func queue(_ row: TurnContext.NewRow, _ context: inout TurnContext) throws {
        let lane = LaneID(row.registration.lane)
        let now = context.turn.now
        let queue = row.queue
        let isOwned = try !row.isHeld && mayBeInMemory(row.registration.id, queue, context.budgets[lane], context)
        try db.prepare(
            """
            INSERT INTO outbox (id, lane, registration, conversation, sequence, message, kind, owner, \
            expires_at, queued_at, collapse, held, campaign, queue) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(row.id).int(row.registration.lane).int(row.registration.id).int(row.conversation)
        .int(row.message?.sequence).int(row.message.map { Int64(bitPattern: $0.id.high) }).int(row.kind.rawValue)
        .int(isOwned || row.isHeld ? context.turn.incarnation.rawValue : nil)
        .int(row.expiresAt.milliseconds).int(now.milliseconds).text(row.message?.collapseKey)
        .int(row.isHeld ? 1 : 0).int(row.campaign).int(queue.rawValue).run()
        try noteQueued(row.id, at: now.milliseconds)
        context.noteNew(row.id)
        if row.isHeld {
            context.held.made += 1
        } else if isOwned {
            context.budgets.take(queue, of: lane)
            context.noteOwned(of: row.registration.id)
            context.owned.append(outboxRow(row, now: now))
            context.ownedConsumers.append(row.consumer)
        } else {
            try addWaiting(1, queue, of: row.registration.id, lane: row.registration.lane, &context)
        }
        if row.kind == .badge || row.message?.collapseKey != nil { try collapse(before: row, &context) }
    }

    /// Whether a new row of a device may be in memory: its lane has a slot, the device has not used its share, and no
    /// row of it that leaves first waits.
    private func mayBeInMemory(
        _ registration: Int64,
        _ queue: OutboxQueue,
        _ budget: LaneBudget?,
        _ context: TurnContext
    ) throws -> Bool {
        guard let budget, budget.admits(queue), !context.waits(registration, queue),
            context.hasRoom(for: registration, queue, budget.deviceLimit)
        else { return false }
        return try !budget.mayHaveBacklog || !mustWait(registration, queue, now: context.turn.now)
    }

    /// Returns a new row for the lane, except the unread count, which is that of the turn's end.
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
            queue: row.queue,
            conversation: row.conversation.map(ConversationKey.init),
            message: row.message,
            attempts: 0,
            expiresAt: row.expiresAt,
            queuedAt: now
        )
    }
}
