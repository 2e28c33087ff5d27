import GatewayModel
import GatewayStorage
import TurnRules

/// Devices' receipts and taps, operators' retries, and what the housekeeper ends.
extension SimulatedStore {
    func message(
        _ id: MessageID,
        of consumer: Int64,
        named name: ConsumerName
    ) -> (message: Message, conversation: Int64)? {
        guard let found = messages[Int64(bitPattern: id.high)], found.message.id == id,
            conversations[Int(found.conversation) - 1].consumer == consumer
        else { return nil }
        return found
    }

    func firstTap(of message: Int64) -> Timestamp? { taps[message] }

    mutating func store(_ tap: TapRequest, of consumer: Int64) {
        taps[Int64(bitPattern: tap.message.high)] = tap.tappedAt
        for id in deliveries(of: tap.message, on: tap.device) where isPending(id) {
            // The device belongs to the consumer of its registration now.
            if delivery(id).consumer == consumer { change(id) { $0.isTapped = true } }
        }
    }

    mutating func storeInLog(_ tap: TapRequest) {
        for id in deliveries(of: tap.message, on: tap.device) where !isPending(id) {
            change(id) {
                $0.isTapped = true
                $0.state = .tapped
                $0.suppressedBy = nil
            }
        }
    }

    func noteTapped(_ campaign: String, brand: Int64) {}

    mutating func record(_ receipt: DeviceReceipt, of consumer: Int64) -> Bool {
        // A delivery in the delivery log keeps the id that its consumer had.
        let found = deliveries(of: receipt.message, on: receipt.device).filter {
            let owner = delivery($0).consumer
            return owner == consumer || consumers[Int(owner) - 1].mergedInto == consumer
        }
        for id in found {
            change(id) {
                $0.isReceived = true
                guard $0.state.isFinished else { return }
                if $0.state != .tapped { $0.state = .delivered }
                $0.suppressedBy = nil
            }
        }
        return !found.isEmpty
    }

    private func deliveries(of message: MessageID, on device: DeviceID) -> [Int64] {
        deliveries.indices.filter {
            deliveries[$0].message?.id == message && deliveries[$0].device == device && !deliveries[$0].isRemoved
        }.map { Int64($0) + 1 }
    }

    // MARK: Operators

    func storedDelivery(_ id: Int64) -> StoredDelivery? {
        guard deliveries.indices.contains(Int(id) - 1), isListed(delivery(id)) else { return nil }
        let row = delivery(id)
        let lane = lanes[Int(row.lane.rawValue) - 1]
        return (
            number(of: lane.brand),
            lane.app,
            row.device,
            consumers[Int(row.consumer) - 1].mergedInto ?? row.consumer,
            row.message.map { Int64(bitPattern: $0.id.high) },
            row.campaign,
            standing(of: row),
            row.suppressedBy
        )
    }

    mutating func reopen(_ id: Int64, for registration: KnownRegistration, _ queue: OutboxQueue, until end: Timestamp) {
        guard let found = self.registration(registration.id) else { return }
        change(id) {
            $0.state = .pending
            $0.suppressedBy = nil
            $0.consumer = found.consumer
            $0.registration = registration.id
            $0.lane = found.lane
            $0.isHeld = false
            $0.expiresAt = end
        }
        pending.insert(id, at: pending.firstIndex { $0 > id } ?? pending.endIndex)
        let place = found.pending.firstIndex { $0 > id } ?? found.pending.endIndex
        registrations[Int(registration.id) - 1]?.pending.insert(id, at: place)
    }

    private func standing(of row: Delivery) -> DeliveryState {
        guard !row.state.isFinished else { return row.state }
        if row.isHeld { return .held }
        return row.owner != nil ? .sending : row.attempts > 0 ? .retrying : .pending
    }

    func isReplaced(_ id: Int64, message: Int64?, _ collapseKey: String?, on registration: Int64) -> Bool {
        guard let found = self.registration(registration) else { return false }
        guard let message = delivery(id).message else {
            return found.pending.contains { $0 > id && delivery($0).kind == .badge }
        }
        guard let collapseKey else { return false }
        return deliveries.indices.contains { place in
            let other = deliveries[place]
            guard Int64(place) + 1 > id, other.message?.collapseKey == collapseKey, other.device == found.device,
                let conversation = other.conversation, let newer = other.message
            else { return false }
            if !other.state.isFinished { return found.pending.contains(Int64(place) + 1) }
            return conversations[Int(conversation) - 1].consumer == found.consumer && newer.id > message.id
                && [.accepted, .delivered, .tapped].contains(other.state)
        }
    }

    // MARK: Housekeeping

    /// Ends expired rows without an owner; returns their number.
    mutating func endExpired(now: Timestamp) -> Int {
        let found = pending.filter {
            (delivery($0).owner == nil || delivery($0).isHeld) && delivery($0).expiresAt <= now
        }.sorted { (delivery($0).expiresAt, $0) < (delivery($1).expiresAt, $1) }
        return expire(found, at: now)
    }

    func expired(_ id: Int64, at now: Timestamp) -> (expiresAt: Timestamp, due: Timestamp?, notBefore: Timestamp)? {
        let row = delivery(id)
        guard isPending(id), row.owner == nil || row.isHeld, row.expiresAt <= now else { return nil }
        let wait = row.owner == nil ? waiting[WaitKey(registration: row.registration, queue: row.queue)] : nil
        return (row.expiresAt, wait?.due, wait?.notBefore ?? Timestamp(milliseconds: 0))
    }
}
