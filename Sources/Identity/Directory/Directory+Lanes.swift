package import GatewayModel
import GatewayStorage
internal import TextFormats

extension Directory {
    /// The lanes that operators have paused.
    package var pausedLanes: [LaneID] { Array(snapshot.pausedLanes.keys) }

    /// The paces that operators have set, in pushes a second.
    package var lanePaces: [LaneID: Int64] { snapshot.lanePaces }

    /// Returns a brand's lanes, by name, also those that have no credential now; empty when there are none, or no such
    /// brand.
    package func lanes(of brand: BrandID) -> [DirectoryLane] {
        let snapshot = snapshot
        return snapshot.lanes(of: brand)
            .compactMap { id in
                snapshot.lanes[id].map { key in
                    DirectoryLane(
                        id: id,
                        key: key,
                        canSend: snapshot.lane(id) != nil,
                        pausedSince: snapshot.pausedLanes[id],
                        pushesPerSecond: snapshot.lanePaces[id]
                    )
                }
            }
            .sorted { $0.key.name < $1.key.name }
    }

    /// Returns a lane by its name; nil when the brand has no such lane.
    package func lane(of brand: BrandID, name: String) -> DirectoryLane? {
        lanes(of: brand).first { $0.key.name.hasSameBytes(as: name) }
    }

    /// Pauses a lane, or resumes it; nothing happens when it is so already.
    ///
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func setLane(
        of brand: BrandID,
        name: String,
        isPaused: Bool,
        by origin: AuditOrigin = .gateway
    ) async throws(DirectoryError) -> DirectoryLane {
        try await gate.run(of: brand) { () async throws(DirectoryError) -> DirectoryLane in
            guard var lane = lane(of: brand, name: name) else { throw .notFound }
            guard (lane.pausedSince != nil) != isPaused else { return lane }
            let since = isPaused ? clock.now : nil
            let id = lane.id
            let action = isPaused ? AuditAction.lanePaused : .laneResumed
            let audit = entry(action, brand: brand, target: lane.key.name, by: origin)
            _ = try await stored { () async throws(StorageError) in
                try await self.store.pauseLane(id, since: since, audit: audit)
            }
            // Also when an earlier call failed after its commit.
            var next = snapshot
            next.pausedLanes[id] = since
            publish(next, DirectoryChange(pausedLanes: [id: isPaused]))
            lane.pausedSince = since
            return lane
        }
    }

    /// Sets the pace of a lane, in pushes a second, or removes it when that is nil; nothing happens when it is so already.
    ///
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func setLane(
        of brand: BrandID,
        name: String,
        pushesPerSecond pace: Int64?,
        by origin: AuditOrigin = .gateway
    ) async throws(DirectoryError) -> DirectoryLane {
        try await gate.run(of: brand) { () async throws(DirectoryError) -> DirectoryLane in
            guard var lane = lane(of: brand, name: name) else { throw .notFound }
            guard lane.pushesPerSecond != pace else { return lane }
            let id = lane.id
            let audit = entry(.lanePaced, brand: brand, target: lane.key.name, by: origin)
            _ = try await stored { () async throws(StorageError) in
                try await self.store.setPace(of: id, perSecond: pace, audit: audit)
            }
            var next = snapshot
            next.lanePaces[id] = pace
            publish(next, DirectoryChange(pacedLanes: [id: pace]))
            lane.pushesPerSecond = pace
            return lane
        }
    }
}

/// A lane of a brand.
package struct DirectoryLane: Sendable {
    /// Its number.
    package var id: LaneID
    /// Its key.
    package var key: LaneKey
    /// Whether its app has a credential for it.
    package var canSend: Bool
    /// Since when it is paused by an operator; nil when it is not.
    package var pausedSince: Timestamp?
    /// The pace that an operator has set, in pushes a second; nil when there is none.
    package var pushesPerSecond: Int64?

    /// The range of ``pushesPerSecond``, the same as that of a campaign's pace.
    package static let paceRange = BrandSettings.campaignRateRange
}
