package import GatewayStorage

/// How the delivery core stands.
package struct DeliveryHealth: Sendable, Equatable {
    /// Whether events are taken: started, not stopping, and the store's last turn went well.
    package var isAccepting: Bool
    /// Why the store's last turn failed, if it did.
    package var storeError: StorageError?
    /// Events that wait for their commit.
    package var pendingEvents: Int

    /// Takes how the core stands.
    ///
    /// - Parameters:
    ///   - isAccepting: Whether events are taken.
    ///   - storeError: Why the store's last turn failed.
    ///   - pendingEvents: Events that wait for their commit.
    package init(isAccepting: Bool, storeError: StorageError?, pendingEvents: Int) {
        self.isAccepting = isAccepting
        self.storeError = storeError
        self.pendingEvents = pendingEvents
    }
}
