import GatewayModel
import GatewayStorage

/// Agents' messages that wait for a messaging window's acknowledgement, and not for their lane (Architecture page, 7).
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

    /// Releases rows to their lanes that no window holds any more: of the consumer of a name, or of the one that it was
    /// merged into.
    func release(_ name: ConsumerName, _ context: inout TurnContext) throws {
        guard let brand = try brandKey(name.brand),
            let consumer = try consumer(BrandedName(brand: brand, id: name.consumer.rawValue))
        else { return }
        try release(consumer, name.brand, &context)
    }

    /// Releases rows to their lanes that no window holds any more.
    func release(_ consumer: KnownConsumer, _ brand: BrandID, _ context: inout TurnContext) throws {
        // A quarantined registration has no rows.
        for registration in try registrations(of: consumer.key)
        where !isHeld(brand, consumer, registration, context) {
            try db.prepare("UPDATE outbox SET owner = NULL, held = 0 WHERE registration = ? AND held = 1")
                .int(registration.id).run()
            let released = db.changedRows
            guard released > 0 else { continue }
            try addWaiting(Int64(released), .agent, of: registration.id, lane: registration.lane, &context)
            context.held.released += released
        }
    }
}
