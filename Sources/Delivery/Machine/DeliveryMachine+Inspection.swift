import DequeModule
package import GatewayModel
import GatewayStorage

/// What the simulation of it looks at.
extension DeliveryMachine {
    /// A row in memory.
    package struct HeldRow: Sendable {
        /// The delivery.
        package var delivery: DeliveryID
        /// Its registration.
        package var registration: RegistrationID
        /// Whether it is on its way.
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

    /// Whether a delivery waits in memory, unsent.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - id: Its registration.
    /// - Returns: False when it is on its way.
    package func isWaiting(_ delivery: DeliveryID, of id: RegistrationID) -> Bool {
        guard let registration = registrations[id] else { return false }
        if !registration.isSending, registration.head?.id == delivery { return true }
        return registration.tail.contains { $0.id == delivery }
    }

    /// Whether the rows are counted right that devices have in memory.
    package var countsDeviceRows: Bool {
        let crowded = registrations.mapValues(\.rowCount).filter { $0.value > 1 }
        let behind = Dictionary(grouping: deviceRows.behind.values, by: \.self).mapValues(\.count)
        return crowded == deviceRows.crowded && deviceRows.recallable.allSatisfy { registrations[$0]?.head == nil }
            && behind == deviceRows.lanes && behind.keys.allSatisfy { deviceRows.isBehind($0) }
    }

    /// Whether a lane was removed, and not started over since.
    ///
    /// - Parameter lane: The lane.
    /// - Returns: False for one that never had a row.
    package func isRemoved(_ lane: LaneID) -> Bool { lanes[lane]?.isRemoved ?? false }

    /// Whether a claim left rows in the store of one of a lane's devices, and may do so still.
    ///
    /// - Parameter lane: The lane.
    /// - Returns: Whether new rows of the lane may have older ones in the store.
    package func isBehind(_ lane: LaneID) -> Bool { deviceRows.behind.values.contains(lane) }

    /// Whether what a provider takes is remembered for lanes only that have such a provider.
    package var knowsUsedQuotas: Bool {
        quotas.keys.allSatisfy { quota in lanes.contains { $0.value.quota == quota } }
    }

    /// Whether rows in the store are to be due at once, and not all of them are yet.
    package var isRequeuing: Bool { !requeues.isEmpty }

    /// Whether campaigns have a pace.
    ///
    /// - Parameter lane: The lane of their brand.
    /// - Returns: False when their pushes leave as fast as they can.
    package func campaignsArePaced(on lane: LaneID) -> Bool { rules[lane]?.campaignRatePerSecond != nil }

    /// Whether nothing is remembered of any device or consumer.
    package var isEmpty: Bool {
        registrations.isEmpty && consumers.isEmpty && inFlight.isEmpty && summaries.isEmpty && givenBack.isEmpty
    }
}
