package import GatewayStorage

/// Read access for the simulation's checks.
extension Presence {
    /// Whether what is held for a consumer is about to be looked through.
    ///
    /// - Parameter name: The consumer.
    /// - Returns: Whether a later turn releases it.
    package func isReleasing(_ name: ConsumerName) -> Bool { isWaiting.contains(name) }
}
