import GatewayModel
import GatewayStorage

/// New rows of the outbox.
extension TurnRows {
    /// Writes an outbox row, held or not: owned when its lane has a slot and nothing older of the registration waits.
    ///
    /// Then ends the older rows that it replaces.
    ///
    /// In this order, so that it waits as long as they would have: a provider that asked for a pause gets it.
    mutating func queue(_ row: TurnContext.NewRow, _ context: inout TurnContext) throws(Failure) {
        let lane = LaneID(row.registration.lane)
        let now = context.turn.now
        let queue = row.queue
        var isOwned = false
        if !row.isHeld {
            isOwned = try mayBeInMemory(row.registration.id, queue, context.budgets[lane], &context)
        }
        try insert(row, owner: isOwned || row.isHeld ? context.turn.incarnation : nil, at: now)
        context.noteNew(row.id)
        if row.isHeld {
            context.held.made += 1
        } else if isOwned {
            context.budgets.take(queue, of: lane)
            context.noteOwned(of: row.registration.id)
            context.add(owned: OutboxRow(row, now: now), of: row.consumer)
        } else {
            try addWaiting(1, queue, of: row.registration.id, lane: row.registration.lane, &context)
        }
        if row.kind == .badge || row.message?.collapseKey != nil { try collapse(before: row, &context) }
    }

    /// Whether a new row of a device may be in memory: its lane has a slot, the device has not used its share, and no
    /// row of it that leaves first waits.
    private mutating func mayBeInMemory(
        _ registration: Int64,
        _ queue: OutboxQueue,
        _ budget: LaneBudget?,
        _ context: inout TurnContext
    ) throws(Failure) -> Bool {
        guard let budget, budget.admits(queue), !context.waits(registration, queue),
            context.hasRoom(for: registration, queue, budget.deviceLimit)
        else { return false }
        guard budget.mayHaveBacklog else { return true }
        return try !mustWait(registration, queue, now: context.turn.now)
    }
}

extension OutboxRow {
    /// Creates a new row for the lane, except the unread count, which is that of the turn's end.
    fileprivate init(_ row: TurnContext.NewRow, now: Timestamp) {
        self.init(
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
        receivesAgents = row.registration.receives.contains(.agent)
        isImported = row.registration.isImported
    }
}
