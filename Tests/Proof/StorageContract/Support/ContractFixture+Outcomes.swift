import GatewayModel
import GatewayStorage
import Testing

extension ContractFixture {
    /// Returns the outcome of a row that an earlier turn handed out.
    func response(
        _ row: OutboxRow,
        _ outcome: PushOutcome = .accepted(providerID: "p-1"),
        status: Int = 200,
        reason: String? = nil,
        badge: Int64? = nil
    ) -> OutcomeRecord {
        let state: DeliveryState = if case .accepted = outcome { .accepted } else { .failed }
        return record(row, .finished(state, nil), outcome, status: status, reason: reason, badge: badge)
    }

    func record(
        _ row: OutboxRow,
        _ disposition: OutcomeRecord.Disposition,
        _ outcome: PushOutcome,
        status: Int = 200,
        reason: String? = nil,
        badge: Int64? = nil,
        token: OutcomeRecord.TokenEffect = .none
    ) -> OutcomeRecord {
        OutcomeRecord(
            delivery: row.id,
            registration: row.registration,
            response: PushResponse(
                outcome: outcome,
                status: status,
                reason: reason,
                // Every visible push carries a badge.
                badge: badge ?? (row.message?.silent == true ? nil : row.unread),
                sentAt: now,
                latencyMilliseconds: 42
            ),
            disposition: disposition,
            token: token
        )
    }

    /// Returns a failed attempt that is due again later.
    func retry(_ row: OutboxRow, seconds: Int64) -> OutcomeRecord {
        record(
            row,
            .retry(due: now.adding(seconds: seconds)),
            .retry(afterSeconds: nil, scope: .device),
            status: 503,
            reason: "ServiceUnavailable"
        )
    }

    /// Returns an outcome of a row that was not sent.
    func unsent(_ row: OutboxRow, _ disposition: OutcomeRecord.Disposition) -> OutcomeRecord {
        OutcomeRecord(
            delivery: row.id,
            registration: row.registration,
            response: nil,
            disposition: disposition,
            token: .none
        )
    }

    /// Gives every lane this many slots in the next turns.
    func giveSlots(_ slots: Int, mayHaveBacklog: Bool = false) {
        budgets = [
            apns: LaneBudget(slots: slots, mayHaveBacklog: mayHaveBacklog),
            fcm: LaneBudget(slots: slots, mayHaveBacklog: mayHaveBacklog),
        ]
    }

    /// Runs one turn with these events; returns the rows that it handed out.
    func owned(_ events: AgentEvent...) async throws -> [OutboxRow] {
        let request = request(events)
        return try await commit { $0.accepts = [request] }.owned
    }

    /// Runs one turn with one event that creates one owned row.
    func ownedRow(_ event: AgentEvent) async throws -> OutboxRow {
        let rows = try await owned(event)
        try #require(rows.count == 1)
        return rows[0]
    }
}

// MARK: Reports of devices

extension ContractFixture {
    func tap(_ consumer: String, _ device: String, _ message: MessageID, at time: Timestamp? = nil) -> StoreChange {
        .tap(
            TapRequest(
                brand: brand,
                consumer: ConsumerID(trusted: consumer),
                message: message,
                device: DeviceID(trusted: device),
                tappedAt: time ?? now,
                action: nil
            )
        )
    }

    func receipt(
        _ consumer: String,
        _ device: String,
        _ message: MessageID,
        _ state: DeviceReceipt.State = .delivered
    ) -> StoreChange {
        .receipts(
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            [DeviceReceipt(message: message, device: DeviceID(trusted: device), state: state, at: now)]
        )
    }

    func read(
        _ consumer: String,
        _ conversation: String,
        _ sequence: Int64,
        on device: String? = nil
    ) -> StoreChange {
        .read(
            ReadRequest(
                brand: brand,
                consumer: ConsumerID(trusted: consumer),
                conversation: ConversationID(trusted: conversation),
                target: .sequence(sequence),
                device: device.map(DeviceID.init(trusted:))
            )
        )
    }

    func unregister(
        _ consumer: String,
        device: String? = nil,
        app: AppID? = nil,
        _ scope: UnregisterScope
    ) -> StoreChange {
        .unregister(
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            app: app,
            device: device.map(DeviceID.init(trusted:)),
            scope: scope
        )
    }

    func remoteLogout(_ consumer: String, device: String? = nil, _ scope: UnregisterScope) -> StoreChange {
        .endSessions(
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            device: device.map(DeviceID.init(trusted:)),
            unregister: scope
        )
    }

    func erasure(_ consumer: String) -> StoreChange {
        .erase(ErasureRequest(brand: brand, consumer: ConsumerID(trusted: consumer), audit: nil))
    }
}
