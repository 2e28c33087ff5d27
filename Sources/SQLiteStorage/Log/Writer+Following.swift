import GatewayModel
import GatewayStorage
import TurnRules

/// The writer's part in ``RecentChanges``.
extension Writer {
    /// Whether anyone follows a log.
    private var isFollowed: Bool { !following.brands.isEmpty }

    /// Records a row that a lane gets with its insertion.
    func noteUnderway(_ row: TurnContext.NewRow, at now: Timestamp) throws {
        guard isFollowed else { return }
        let (consumer, device) = (row.consumer.name, row.registration.device)
        try noteUnderway(row.id, row.registration.lane, row.message?.id, of: consumer, on: device, queuedAt: now)
    }

    /// Records a row that a lane gets, which was never tried, and of which no device has reported anything.
    func noteUnderway(
        _ id: Int64,
        _ lane: Int64,
        _ message: MessageID?,
        of consumer: BrandedName,
        on device: String,
        queuedAt: Timestamp
    ) throws {
        guard isFollowed, let lane = try names(ofLane: lane) else { return }
        let record = DeliveryRecord(
            id: DeliveryID(id),
            messageID: message,
            consumer: ConsumerID(trusted: consumer.id),
            device: DeviceID(trusted: device),
            app: lane.app,
            provider: lane.type,
            state: .sending,
            attempts: 0,
            queuedAt: queuedAt
        )
        memory.underway.add(FollowedDelivery(record, brand: consumer.brand))
    }

    /// Records that something was stored in these rows of the outbox.
    func noteMarked(_ deliveries: () throws -> [Int64]) rethrows {
        guard !memory.underway.isEmpty else { return }
        for id in try deliveries() { _ = memory.underway.take(id) }
    }

    /// Records that pushes entered the log, the first one at this position.
    func noteLogged(_ pushes: [FinishedPush], first: Int64) throws {
        guard isFollowed else { return }
        for (index, push) in pushes.enumerated() {
            let position = first + Int64(index)
            guard let followed = memory.underway.take(push.id) else {
                try noteLogged(push.id, at: position)
                continue
            }
            guard following.brands.contains(followed.brand) else { continue }
            followed.finish(push)
            changed.append(
                RecentChanges.Change(
                    position: position,
                    delivery: push.id,
                    brand: followed.brand,
                    followed: followed
                )
            )
        }
    }

    /// Records a change of a row of the log, which is to be read there.
    func noteLogged(_ id: Int64, at position: Int64) throws {
        guard isFollowed else { return }
        _ = memory.underway.take(id)
        let row = try db.prepare("SELECT brand FROM delivery_log WHERE id = ?").int(id)
        guard try row.next() else { return }
        let brand = row.int64(0)
        row.end()
        guard following.brands.contains(brand) else { return }
        changed.append(RecentChanges.Change(position: position, delivery: id, brand: brand, followed: nil))
    }

    /// Records that a row is about to be removed from the log; old ones are not in memory.
    func noteRemoved(_ id: Int64) throws {
        guard isFollowed else { return }
        let row = try db.prepare("SELECT change FROM delivery_log WHERE id = ?").int(id)
        guard try row.next() else { return }
        let isRecent = row.int64(0) > following.start
        row.end()
        if isRecent { forgetFollowed() }
    }

    /// Returns the app and the transport of a lane; nil when it does not exist.
    private func names(ofLane lane: Int64) throws -> (app: AppID, type: PushType)? {
        if let known = memory.underway.lanes[lane] { return known }
        let row = try db.prepare("SELECT app, push_type FROM lanes WHERE id = ?").int(lane)
        var names: (app: AppID, type: PushType)?
        if try row.next(), let type = PushType(rawValue: row.string(1)) {
            names = (AppID(trusted: row.string(0)), type)
        }
        row.end()
        memory.underway.lanes[lane] = .some(names)
        return names
    }

    /// Returns the logs that are followed from this transaction's end on, and the position from which on.
    func awaitedLogs() throws -> (opened: [BrandID: Int64], last: Int64) {
        var opened: [BrandID: Int64] = [:]
        for brand in following.awaited { opened[brand] = try brandKey(brand) }
        let next = try nextChange(count: 0)
        return (opened, next - 1)
    }

    /// Records that the log, or what it names, has changed in a way that no single change says.
    func forgetFollowed() {
        memory.underway = UnderwayDeliveries()
        changed = []
        isLogForgotten = true
    }
}
