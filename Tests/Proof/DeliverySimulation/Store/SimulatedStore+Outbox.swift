import GatewayModel
import GatewayStorage
import TurnRules

/// The outbox and the waits of its rows, as the product's rules of a turn write them.
extension SimulatedStore {
    // MARK: Rows

    func newDelivery() -> Int64 { Int64(deliveries.count) + 1 }

    mutating func insert(_ row: TurnContext.NewRow, owner: IncarnationID?, at now: Timestamp) {
        var delivery = Delivery(
            device: DeviceID(trusted: row.registration.device),
            lane: LaneID(row.registration.lane),
            registration: row.registration.id,
            consumer: row.consumer.key,
            conversation: row.conversation,
            message: row.message,
            kind: row.kind,
            owner: owner,
            expiresAt: row.expiresAt,
            queuedAt: now
        )
        delivery.isHeld = row.isHeld
        delivery.wasHeld = row.isHeld
        delivery.campaign = row.campaign
        switch flaw {
        case .losesRow: delivery.isLost = row.id.isMultiple(of: 5)
        case .losesBadges: delivery.isLost = row.kind == .badge
        default: break
        }
        deliveries.append(delivery)
        guard !delivery.isLost else { return }
        pending.append(row.id)
        registrations[Int(row.registration.id) - 1]?.pending.append(row.id)
    }

    func rowsReplaced(by row: TurnContext.NewRow) -> [Int64] {
        guard flaw != .keepsCollapsed else { return [] }
        return (registration(row.registration.id)?.pending ?? []).filter { id in
            guard id < row.id else { return false }
            let older = delivery(id)
            return row.kind == .badge
                ? older.kind == .badge : older.message?.collapseKey == row.message?.collapseKey
        }
    }

    func rows(of consumer: Int64, conversation: Int64, upTo sequence: Int64) -> [(id: Int64, isHeld: Bool)] {
        var found: [(id: Int64, isHeld: Bool)] = []
        guard flaw != .keepsRead else { return found }
        for key in consumers[Int(consumer) - 1].registrations {
            for id in registration(key)?.pending ?? []
            where delivery(id).conversation == conversation && delivery(id).sequence <= sequence {
                found.append((id, flaw == .suppressesRead || delivery(id).isHeld))
            }
        }
        return found
    }

    func rowsWithConsent(of consumer: Int64) -> [(id: Int64, category: String)] {
        consumers[Int(consumer) - 1].registrations.flatMap { registration($0)?.pending ?? [] }.sorted()
            .compactMap { id in delivery(id).message?.consentCategory.map { (id: id, category: $0) } }
    }

    func rows(_ part: RegistrationRows, of registration: Int64) -> [Int64] {
        (self.registration(registration)?.pending ?? []).filter {
            let row = delivery($0)
            return switch part {
            case .all: true
            case .agent: row.kind == .badge || row.message?.kind == .agent
            case .proactive: row.message?.kind == .proactive || row.message?.kind == .c2m
            }
        }
    }

    func rows(of consumer: Int64, message: Int64) -> [Int64] {
        consumers[Int(consumer) - 1].registrations.flatMap { registration($0)?.pending ?? [] }
            .filter { delivery($0).message.map { Int64(bitPattern: $0.id.high) } == message }
    }

    func rows(of registration: Int64, limit: Int) -> [Int64] {
        let rows = self.registration(registration)?.pending ?? []
        return Array(rows.sorted { (delivery($0).queue, $0) < (delivery($1).queue, $1) }.prefix(limit))
    }

    mutating func releaseHeld(of registration: Int64) -> Int {
        var released = 0
        for id in self.registration(registration)?.pending ?? [] where delivery(id).isHeld {
            if flaw == .suppressesReleased {
                _ = moveToLog(id, state: .suppressed, by: .windowOpen, at: now)
                continue
            }
            change(id) {
                $0.isHeld = false
                $0.owner = nil
            }
            released += 1
        }
        return released
    }

    mutating func moveToLog(
        _ id: Int64,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        at now: Timestamp
    ) -> MovedRow? {
        guard isPending(id) else { return nil }
        change(id) { $0.end(state, by: suppressedBy) }
        return take(id)
    }

    /// Takes a row that has ended out of the outbox.
    mutating func take(_ id: Int64) -> MovedRow {
        let row = delivery(id)
        change(id) { $0.owner = nil }
        forget(id)
        return MovedRow(registration: row.registration, queue: row.queue, isWaiting: row.owner == nil)
    }

    // MARK: Waits

    func waits(of registration: Int64) -> [WaitingRows] {
        waitKeys(of: registration).compactMap { key in
            guard let wait = waiting[key] else { return nil }
            return WaitingRows(
                queue: key.queue,
                lane: wait.lane.rawValue,
                due: wait.due?.milliseconds,
                notBefore: wait.notBefore.milliseconds,
                rows: wait.rows
            )
        }
    }

    mutating func store(_ wait: WaitingRows, of registration: Int64) {
        waiting[WaitKey(registration: registration, queue: wait.queue)] = Wait(
            lane: LaneID(wait.lane),
            due: wait.due.map { Timestamp(milliseconds: $0) },
            notBefore: Timestamp(milliseconds: wait.notBefore),
            rows: wait.rows
        )
    }

    mutating func store(rows: Int64, of registration: Int64, _ queue: OutboxQueue) {
        waiting[WaitKey(registration: registration, queue: queue)]?.rows = rows
    }

    mutating func setAside(rows: Int64, of registration: Int64, _ queue: OutboxQueue) {
        let key = WaitKey(registration: registration, queue: queue)
        waiting[key]?.rows = rows
        waiting[key]?.due = nil
    }

    mutating func removeWait(of registration: Int64, _ queue: OutboxQueue) {
        waiting[WaitKey(registration: registration, queue: queue)] = nil
    }

    func lane(of registration: Int64) -> Int64? { self.registration(registration)?.lane.rawValue }
}
