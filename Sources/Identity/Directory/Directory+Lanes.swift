package import GatewayModel
import GatewayStorage
internal import TextFormats

extension Directory {
    /// The lanes that operators have paused.
    package var pausedLanes: [LaneID] { Array(snapshot.pausedLanes.keys) }

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
                        pausedSince: snapshot.pausedLanes[id]
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
}
