import DequeModule
package import GatewayModel
import GatewayStorage

/// Read access for the simulation's checks.
extension DeliveryMachine {
    /// A row in memory.
    package struct HeldRow: Sendable {
        /// The delivery.
        package var delivery: DeliveryID
        /// Its registration.
        package var registration: RegistrationID
        /// Whether it is in flight.
        package var isSending: Bool
    }

    /// Every row in memory; the rows of one registration are in the order in which they leave.
    package var heldRows: [HeldRow] {
        var rows: [HeldRow] = []
        for (id, registration) in registrations {
            guard let head = registration.head else { continue }
            rows.append(HeldRow(delivery: head.id, registration: id, isSending: registration.isSending))
            for row in registration.tail {
                rows.append(HeldRow(delivery: row.id, registration: id, isSending: false))
            }
        }
        return rows
    }

    /// Returns whether a delivery waits in memory, unsent; false when it is in flight.
    package func isWaiting(_ delivery: DeliveryID, of id: RegistrationID) -> Bool {
        guard let registration = registrations[id] else { return false }
        if !registration.isSending, registration.head?.id == delivery { return true }
        return registration.tail.contains { $0.id == delivery }
    }

    /// Whether the counts of rows in memory for each device are correct.
    package var countsDeviceRows: Bool {
        let crowded = registrations.mapValues(\.rowCount).filter { $0.value > 1 }
        let behind = Dictionary(grouping: deviceRows.behind.values, by: \.self).mapValues(\.count)
        return crowded == deviceRows.crowded && deviceRows.recallable.allSatisfy { registrations[$0]?.head == nil }
            && behind == deviceRows.lanes && behind.keys.allSatisfy { deviceRows.isBehind($0) }
    }

    /// Returns whether a lane was removed, and not reset since; false for one that never had a row.
    package func isRemoved(_ lane: LaneID) -> Bool { lanes[lane]?.isRemoved ?? false }

    /// Returns whether a claim left rows of one of a lane's devices in the store, where some may still be.
    package func isBehind(_ lane: LaneID) -> Bool { deviceRows.behind.values.contains(lane) }

    /// Whether quota buckets exist only for quotas that a lane has.
    package var knowsUsedQuotas: Bool {
        quotas.keys.allSatisfy { quota in lanes.contains { $0.value.quota == quota } }
    }

    /// Whether rows in the store are to be made due at once, and not all of them are yet.
    package var isRequeuing: Bool { !requeues.isEmpty }

    /// Returns whether campaigns of a lane's brand are paced; if not, their pushes leave as fast as possible.
    package func campaignsArePaced(on lane: LaneID) -> Bool { rules[lane]?.campaignRatePerSecond != nil }

    /// Whether no device and no consumer is in memory.
    package var isEmpty: Bool {
        registrations.isEmpty && consumers.isEmpty && inFlight.isEmpty && summaries.isEmpty && requeuedRows.isEmpty
    }
}
