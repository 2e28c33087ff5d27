package import GatewayStorage

/// Read access for the simulation's checks.
extension Presence {
    /// Returns whether a later turn releases the rows that are held for a consumer.
    package func isReleasing(_ name: ConsumerName) -> Bool { isWaiting.contains(name) }
}
