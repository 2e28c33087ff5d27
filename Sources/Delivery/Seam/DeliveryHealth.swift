package import GatewayStorage

/// The health of the delivery core.
package struct DeliveryHealth: Sendable, Equatable {
    /// Whether events are accepted: started, not stopping, the store's last turn succeeded, and the host has no fault.
    package var isAccepting: Bool
    /// The error of the store's last turn, if it failed.
    package var storeError: StorageError?
    /// The host's faults.
    package var faults: Set<HostFault>
    /// Events that wait for their commit.
    package var pendingEvents: Int

    /// Creates a health report.
    package init(isAccepting: Bool, storeError: StorageError?, faults: Set<HostFault> = [], pendingEvents: Int) {
        self.isAccepting = isAccepting
        self.storeError = storeError
        self.faults = faults
        self.pendingEvents = pendingEvents
    }
}
