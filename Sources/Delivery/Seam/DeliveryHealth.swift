package import GatewayStorage

/// How the delivery core stands.
package struct DeliveryHealth: Sendable, Equatable {
    /// Whether events are taken: started, not stopping, the store's last turn went well, and the machine has no fault.
    package var isAccepting: Bool
    /// Why the store's last turn failed, if it did.
    package var storeError: StorageError?
    /// What the machine lacks.
    package var faults: Set<MachineFault>
    /// Events that wait for their commit.
    package var pendingEvents: Int

    /// Takes how the core stands.
    ///
    /// - Parameters:
    ///   - isAccepting: Whether events are taken.
    ///   - storeError: Why the store's last turn failed.
    ///   - faults: What the machine lacks.
    ///   - pendingEvents: Events that wait for their commit.
    package init(isAccepting: Bool, storeError: StorageError?, faults: Set<MachineFault> = [], pendingEvents: Int) {
        self.isAccepting = isAccepting
        self.storeError = storeError
        self.faults = faults
        self.pendingEvents = pendingEvents
    }
}
