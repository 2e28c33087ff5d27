package import GatewayStorage
import SQLStorage
import TurnRules

extension SQLiteStore {
    package func runHousekeeping(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress {
        switch batch.work {
        case .expired:
            return try await remove(try await read { try $0.expired(batch) }) {
                var rows = $0
                return try rows.expire($1.rows, at: batch.now)
            }
        case .deliveries(let before):
            return try await remove(try await read { try HousekeepingSearch($0).deliveries(batch, before: before) }) {
                try $0.removeDeliveries($1.rows)
            }
        case .messages(let before):
            return try await remove(try await read { try HousekeepingSearch($0).messages(batch, before: before) }) {
                try $0.removeMessages($1.rows, mark: $1.mark)
            }
        case .conversations(let before):
            return try await remove(try await read { try $0.conversations(batch, before: before) }) {
                try $0.removeConversations($1)
            }
        case .campaigns(let before):
            return try await remove(try await read { try $0.campaigns(batch, before: before) }) {
                try $0.removeCampaigns($1)
            }
        // An index leads to exactly these rows, so that the writer finds them itself.
        case .eventIDs(let keepHours):
            return try await remove { try $0.removeEventIDs(batch, keepHours: keepHours) }
        case .sessions:
            return try await remove { try $0.removeSessions(batch) }
        case .inboxItems:
            return try await remove { try $0.removeInboxItems(batch) }
        case .deliveryLinks:
            return try await remove { try $0.removeDeliveryLinks(batch) }
        case .anonymous:
            return try await remove { try $0.removeAnonymous(batch) }
        case .outbound(let before, let acknowledgedBefore):
            return try await remove {
                try $0.removeOutbound(batch, before: before, acknowledgedBefore: acknowledgedBefore)
            }
        case .audit(let before):
            return try await remove { writer in
                let removed = try writer.removeAudit(before: before, limit: batch.limit)
                return (removed, removed == batch.limit ? HousekeepingPosition() : nil)
            }
        case .erasures:
            guard let work = try await read({ try HousekeepingSearch($0).erasure(limit: batch.limit) }) else {
                if try await read({ try HousekeepingSearch($0).isLogToBeCutOff() }), try await cutOffLog() {
                    try await write { try $0.removeErasures() }
                }
                return HousekeepingProgress(removed: 0, next: nil, heldMilliseconds: 0)
            }
            let (removed, held) = try await timedWrite { try $0.removeErased(work, limit: batch.limit) }
            // There is always another batch: it finds nothing to do, or the next consumer.
            let next = HousekeepingPosition(row: (batch.position?.row ?? 0) + 1)
            return HousekeepingProgress(removed: removed, next: next, heldMilliseconds: held)
        case .deletedApps:
            // Requested often, and mostly there is none: then the writer stays free for events.
            guard try await read({ try $0.prepare("SELECT 1 FROM deleted_lanes LIMIT 1").hasRow() }) else {
                return HousekeepingProgress(removed: 0, next: nil, heldMilliseconds: 0)
            }
            return try await remove { writer in
                var rows = writer
                let removed = try rows.endDeletedLanes(limit: batch.limit, at: batch.now)
                return (removed, removed == batch.limit ? HousekeepingPosition() : nil)
            }
        case .deletedBrands:
            return try await remove { try $0.removeDeletedBrand(batch) }
        }
    }

    /// Checkpoints the whole WAL and truncates it, so that no earlier page is left in it.
    ///
    /// - Returns: False when a reader uses it; then the next pass tries again.
    private func cutOffLog() async throws(StorageError) -> Bool {
        // Most of it concurrently with the writer, whose work delays events.
        await checkpointer.move()
        return try await onWriter { try self.checkpointer.cutOff($0) }
    }

    /// Removes the rows of a search; when there are none, the writer stays free for events.
    private func remove(
        _ found: HousekeepingFound,
        _ work: @escaping @Sendable (Writer, HousekeepingFound) throws -> Int
    ) async throws(StorageError) -> HousekeepingProgress {
        guard !found.rows.isEmpty || found.mark != nil else {
            return HousekeepingProgress(removed: 0, next: found.next, heldMilliseconds: 0)
        }
        let (removed, held) = try await timedWrite { try work($0, found) }
        return HousekeepingProgress(removed: removed, next: found.next, heldMilliseconds: held)
    }

    private func remove(
        _ work: @escaping @Sendable (Writer) throws -> (removed: Int, next: HousekeepingPosition?)
    ) async throws(StorageError) -> HousekeepingProgress {
        let (done, held) = try await timedWrite(work)
        return HousekeepingProgress(removed: done.removed, next: done.next, heldMilliseconds: held)
    }
}
