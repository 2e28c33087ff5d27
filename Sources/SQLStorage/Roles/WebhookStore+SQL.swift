package import GatewayModel
package import GatewayStorage

extension WebhookStore where Self: SQLStore {
    package func webhookState(of receiver: OutboundReceiver) async throws(StorageError) -> WebhookState? {
        try await inSnapshot { db in
            try db.prepare(
                """
                SELECT w.revision, w.mark, w.batch_through, w.attempts, w.next_try, w.last_tried_at, w.last_status, \
                w.last_error, w.switched_off FROM webhook_states w JOIN brands b ON b.key = w.brand WHERE b.id = ? \
                AND w.hook = ?
                """
            ).text(receiver.brand.rawValue).text(receiver.column).first { row in
                var state = WebhookState(mark: try row.value(1), revision: try row.value(0))
                state.batchThrough = try row.value(2)
                state.attempts = try row.value(3)
                state.nextTry = try row.value(4)
                state.lastTriedAt = try row.value(5)
                state.lastStatus = try row.value(6)
                state.lastError = try row.value(7)
                state.isSwitchedOff = try row.value(8)
                return state
            }
        }
    }

    package func putWebhookState(
        _ state: WebhookState,
        of receiver: OutboundReceiver
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let brand = try transaction.brandKey(receiver.brand) else { return false }
            return try transaction.db.prepare(
                """
                UPDATE webhook_states SET mark = ?4, batch_through = ?5, attempts = ?6, next_try = ?7, \
                last_tried_at = ?8, last_status = ?9, last_error = ?10, switched_off = ?11 \
                WHERE brand = ?1 AND hook = ?2 AND revision = ?3
                """
            )
            .int(brand).text(receiver.column).int(state.revision).int(state.mark).int(state.batchThrough)
            .int(state.attempts).time(state.nextTry).time(state.lastTriedAt).int(state.lastStatus).text(state.lastError)
            .int(state.isSwitchedOff ? 1 : 0).runCounting() == 1
        }
    }

    package func replayWebhook(
        brand: BrandID,
        after: Int64,
        audit: AuditEntry?
    ) async throws(StorageError) -> WebhookState? {
        let isFound = try await inTransaction { transaction in
            guard let key = try transaction.brandKey(brand) else { return false }
            let end = try transaction.db.outboundEnds(key).end
            let count = try transaction.db.prepare(
                """
                UPDATE webhook_states SET revision = revision + 1, mark = ?2, batch_through = NULL, attempts = 0, \
                next_try = NULL, switched_off = 0 WHERE brand = ?1 AND hook = ''
                """
            ).int(key).int(min(max(after, 0), end)).runCounting()
            guard count == 1 else { return false }
            try transaction.write(audit)
            return true
        }
        return isFound ? try await webhookState(of: OutboundReceiver(brand: brand)) : nil
    }
}

extension SQLTransaction {
    /// Updates the state of a brand's webhook, or of a hook's replies, after a change of the settings, which are stored
    /// already.
    ///
    /// - Parameters:
    ///   - brand: The brand's key.
    ///   - hook: The hook; empty for the brand's webhook.
    ///   - exists: Whether there is a webhook, or replies.
    ///   - isOther: Whether its settings have changed.
    /// - Throws: An error of the engine.
    package func webhookChanged(brand: Int64, hook: String = "", exists: Bool, isOther: Bool) throws {
        guard exists else {
            let count = try db.prepare("DELETE FROM webhook_states WHERE brand = ? AND hook = ?").int(brand)
                .text(hook).runCounting()
            if count == 1 { readersChanged() }
            return
        }
        guard isOther else { return }
        let end = try db.outboundEnds(brand).end
        try db.prepare(
            """
            INSERT INTO webhook_states (brand, hook, revision, mark) VALUES (?, ?, 1, ?) ON CONFLICT (brand, hook) \
            DO UPDATE SET revision = webhook_states.revision + 1, attempts = 0, next_try = NULL, switched_off = 0
            """
        ).int(brand).text(hook).int(end).run()
        readersChanged()
    }
}

extension OutboundReceiver {
    /// The value of the column `hook`.
    fileprivate var column: String { hook?.rawValue ?? "" }
}
