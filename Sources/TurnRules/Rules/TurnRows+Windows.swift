internal import GatewayModel
internal import GatewayStorage

/// Agents' messages that wait for a messaging window's acknowledgement, and not for their lane (Architecture page, 7).
extension TurnRows {
    /// Releases rows to their lanes that no window holds any more: of the consumer of a name, or of the one that it was
    /// merged into.
    mutating func release(_ name: ConsumerName, _ context: inout TurnContext) throws(Failure) {
        guard let brand = try brandKey(name.brand),
            let consumer = try self.consumer(BrandedName(brand: brand, id: name.consumer.rawValue))
        else { return }
        try release(consumer, name.brand, &context)
    }

    /// Releases rows to their lanes that no window holds any more.
    mutating func release(
        _ consumer: KnownConsumer,
        _ brand: BrandID,
        _ context: inout TurnContext
    ) throws(Failure) {
        // A quarantined registration has no rows.
        for registration in try registrations(of: consumer.key)
        where !context.holds(brand, consumer, registration) {
            let released = try releaseHeld(of: registration.id)
            guard released > 0 else { continue }
            try addWaiting(Int64(released), .agent, of: registration.id, lane: registration.lane, &context)
            context.held.released += released
        }
    }
}
