import DequeModule
package import GatewayModel
import GatewayStorage

extension DeliveryMachine {
    /// Applies a committed turn's changes to the rows in memory.
    mutating func apply(_ updates: TurnUpdates, now: Timestamp) {
        for update in updates.registrations { apply(update, now: now) }
        remove(updates.withdrawn)
        for (consumer, unread) in updates.unread {
            guard let place = consumers.index(forKey: consumer) else { continue }
            consumers.values[place].unread = unread
        }
    }

    private mutating func apply(_ update: RegistrationUpdate, now: Timestamp) {
        switch update {
        case .registered(_, let registration):
            addLane(registration.lane)
            registrations[registration.id]?.token = registration.token
            registrations[registration.id]?.platform = registration.platform
            registrations[registration.id]?.receivesAgents = registration.receives.contains(.agent)
            if let known = registrations[registration.id], known.traits?.timeZone != registration.timeZone {
                recall([registration.id], now: now)
            }
            setTraits(of: registration.id) {
                DeviceTraits(
                    locale: registration.locale,
                    timeZone: registration.timeZone,
                    quietHours: $0?.quietHours
                )
            }
        case .narrowed(_, let id): registrations[id]?.receivesAgents = false
        case .quietHours(let consumer, let quietHours):
            let ids = consumers[consumer]?.registrations ?? []
            recall(Set(ids), now: now)
            for id in ids { set(quietHours, of: id) }
        case .merged(let merge): self.merge(merge, now: now)
        }
    }

    /// Sets the traits of a registration in memory; its waiting rows are sent by the new ones.
    private mutating func setTraits(of id: RegistrationID, _ change: (DeviceTraits?) -> DeviceTraits?) {
        guard let place = registrations.index(forKey: id) else { return }
        registrations.values[place].traits = change(registrations.values[place].traits)
    }

    private mutating func set(_ quietHours: QuietHours?, of id: RegistrationID) {
        setTraits(of: id) { DeviceTraits(locale: $0?.locale, timeZone: $0?.timeZone, quietHours: quietHours) }
    }

    /// Moves a consumer's registrations in memory to the consumer that it was merged into, whose unread count comes
    /// with the same commit.
    private mutating func merge(_ merge: ConsumerMerge, now: Timestamp) {
        let into = merge.into
        guard let old = consumers.removeValue(forKey: merge.from) else { return }
        let others = old.registrations.filter { registrations[$0]?.traits?.quietHours != merge.quietHours }
        recall(Set(others), now: now)
        for id in others { set(merge.quietHours, of: id) }
        for id in old.registrations { registrations[id]?.consumer = into }
        consumers[into, default: Consumer(unread: old.unread)].registrations += old.registrations
    }

    /// Removes waiting rows of a registration from memory and returns them in the order in which they would have left;
    /// one that is in flight stays.
    @discardableResult
    mutating func removeWaiting(from id: RegistrationID, where isGone: (OutboxRow) -> Bool) -> [OutboxRow] {
        guard let place = registrations.index(forKey: id),
            registrations.values[place].waitingRows.contains(where: isGone)
        else { return [] }
        var registration = registrations.values[place]
        let before = registration.readyClass
        let sending = registration.isSending ? registration.head : nil
        if sending != nil { registration.head = registration.tail.popFirst() }
        let removed = registration.removeWaiting(where: isGone)
        if let sending {
            if let next = registration.head { registration.tail.prepend(next) }
            registration.head = sending
        }
        registrations.values[place] = registration
        moveReady(id, from: before)
        drop(removed, lane: registration.lane)
        forgetIfIdle(id)
        return removed
    }

    /// Removes waiting rows from memory that a commit has ended, for any reason; a push in flight cannot be recalled.
    mutating func remove(_ rows: [WithdrawnRow]) {
        var deliveries: [RegistrationID: Set<DeliveryID>] = [:]
        for row in rows where registrations[row.registration] != nil {
            deliveries[row.registration, default: []].insert(row.delivery)
        }
        for (id, ended) in deliveries { removeWaiting(from: id) { ended.contains($0.id) } }
    }

    /// Closes a lane that can no longer send: its app or brand was deleted, or has no credential for it any more.
    ///
    /// Rows in memory are requeued to the store, where they wait for a credential; rows that were deleted with their
    /// app no longer exist there, and the engine skips them. The lane is not forgotten: as long as the store may have
    /// rows for it, a new row must not get a slot before them. A lane that never had a row is remembered too: its first
    /// row may be in a commit that is under way.
    package mutating func removeLane(_ id: LaneID, now: Timestamp) {
        requeueWaiting(of: id, now: now)
        lanes[id]?.isRemoved = true
        objectives[id] = nil
    }

    /// Pauses a lane because an operator asked for it: rows in memory are requeued, and pushes in flight get their
    /// results.
    ///
    /// Its rows wait in the store, where they expire as any others.
    package mutating func pauseLane(_ id: LaneID, now: Timestamp) {
        requeueWaiting(of: id, now: now)
        lanes[id]?.isPaused = true
    }

    /// Resumes a lane that an operator paused; others are not changed.
    ///
    /// A wait that its provider asked for meanwhile still holds.
    package mutating func resumeLane(_ id: LaneID, now: Timestamp) {
        guard lanes[id]?.isPaused == true else { return }
        lanes[id]?.isPaused = false
        lanes[id]?.noteBacklogs(due: now)
    }

    private mutating func requeueWaiting(of id: LaneID, now: Timestamp) {
        for key in registrationKeys(where: { $0.lane == id }) { requeueWaiting(key, due: now) }
        addLane(id)
        lanes[id]?.ready = ReadyQueue()
    }

    /// Opens a lane's breaker, because no provider can be created from its credential.
    package mutating func refuse(_ id: LaneID, now: Timestamp) {
        if lanes[id]?.openBreaker(now: now, settings) == true { lanes[id]?.cause = nil }
    }

    /// Counts outcomes that can never be stored as committed.
    package mutating func outcomesDropped(_ count: Int) { outcomesCommitted += UInt64(count) }

    /// Replaces a lane's provider, because its pushes have other content from now on: the old provider takes nothing
    /// more.
    package mutating func renewProvider(of id: LaneID) {
        addLane(id)
        lanes[id]?.provider += 1
    }

    /// Resets a lane, because its credential was replaced or restored: closes its breakers and pause, looks for its
    /// rows in the store, and replaces its provider.
    package mutating func resetLane(_ id: LaneID, now: Timestamp) {
        renewProvider(of: id)
        lanes[id]?.credential += 1
        lanes[id]?.breaker = .closed
        lanes[id]?.platforms = [:]
        lanes[id]?.pause = LanePause(manyFaults: settings.faultsBeforePause)
        lanes[id]?.invalidation.reset(now: now)
        lanes[id]?.unsent = UnsentWait()
        lanes[id]?.rejections = 0
        lanes[id]?.quarantined = 0
        lanes[id]?.isProven = false
        lanes[id]?.cause = nil
        lanes[id]?.isRemoved = false
        lanes[id]?.noteBacklogs(due: now)
    }
}
