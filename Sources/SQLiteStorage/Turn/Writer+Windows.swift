import GatewayModel
import GatewayStorage

/// Agents' messages that wait for a messaging window's acknowledgement, and not for their lane (architecture section 3.7).
extension Writer {
    /// Whether a consumer's agents' messages to a device are held for a window.
    func isHeld(
        _ brand: BrandID,
        _ consumer: KnownConsumer,
        _ registration: KnownRegistration,
        _ context: TurnContext
    ) -> Bool {
        context.turn.windows.holds(
            ConsumerName(brand: brand, consumer: ConsumerID(trusted: consumer.name.id)),
            device: DeviceID(trusted: registration.device)
        )
    }

    /// Gives to their lanes what no window holds any more: of the consumer of a name, or of the one that it was merged into.
    func release(_ name: ConsumerName, _ context: inout TurnContext) throws {
        guard let brand = try brandKey(name.brand),
            let consumer = try consumer(BrandedName(brand: brand, id: name.consumer.rawValue))
        else { return }
        try release(consumer, name.brand, &context)
    }

    /// Gives to their lanes what no window holds any more.
    func release(_ consumer: KnownConsumer, _ brand: BrandID, _ context: inout TurnContext) throws {
        // One that is quarantined has no rows.
        for registration in try registrations(of: consumer.key)
        where !isHeld(brand, consumer, registration, context) {
            var ids: [Int64] = []
            let rows = try db.prepare("SELECT id FROM outbox WHERE registration = ? AND held = 1 ORDER BY id DESC")
                .int(registration.id)
            while try rows.next() { ids.append(rows.int64(0)) }
            // The youngest first: each older one follows from it.
            for id in ids {
                let (due, notBefore) = try dueInOrder(id, of: registration.id, now: context.turn.now.milliseconds)
                try db.prepare("UPDATE outbox SET owner = NULL, held = 0, due = ?, not_before = ? WHERE id = ?").int(
                    due
                )
                .int(notBefore).int(id).run()
                context.noteUnowned(id, of: registration, due: Timestamp(milliseconds: due))
                context.held.released += 1
            }
        }
    }

    /// When a row may go that joins those of its registration that wait: with the first younger one, so that a provider that
    /// asked for a pause gets it; else now, but not before the last older one.
    private func dueInOrder(
        _ id: Int64,
        of registration: Int64,
        now: Int64
    ) throws -> (due: Int64, notBefore: Int64) {
        // Due times never fall from older to younger: the nearest rows say all.
        let younger = try db.prepare(
            "SELECT due, not_before FROM outbox WHERE registration = ? AND id > ? AND owner IS NULL ORDER BY id LIMIT 1"
        ).int(registration).int(id)
        if try younger.next() {
            defer { younger.end() }
            return (younger.int64(0), younger.int64(1))
        }
        let older = try db.prepare(
            "SELECT due, not_before FROM outbox WHERE registration = ? AND id < ? AND owner IS NULL ORDER BY id DESC LIMIT 1"
        ).int(registration).int(id)
        guard try older.next() else { return (now, 0) }
        defer { older.end() }
        return (max(now, older.int64(0)), older.int64(1))
    }
}
