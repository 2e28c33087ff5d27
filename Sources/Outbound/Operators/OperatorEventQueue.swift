import FairSharing
package import GatewayModel

/// Turns the conditions that hold into events, one for each change, and keeps them until they are posted: a pure value
/// without a clock or IO.
///
/// A condition that comes back within ``endSeconds`` has not ended. An event that waits is replaced by the next one of
/// its subject, so that the queue has one for each subject at most. When it has no room for an event, for all brands
/// or for one, the change is looked at again later; one that is undone before there is room is lost, and counted.
package struct OperatorEventQueue: Sendable {
    /// The maximum of events that wait.
    package static let capacity = 1000
    /// The maximum of events of one brand that wait.
    package static let capacityPerBrand = 100
    /// The time for which a condition must be over before that is an event, in seconds.
    package static let endSeconds: Int64 = 60

    private typealias Subject = OperatorCondition.Subject

    /// The state of a subject whose condition holds, or did as of its last event.
    private struct Standing {
        /// The condition as of its last event; nil before the first.
        var told: OperatorCondition?
        /// The beginning of ``told``.
        var since: Timestamp
        /// Since when the condition differs from ``told``; nil when it does not.
        var differsSince: Timestamp?
        /// Whether there was no room for the event of the change.
        var isHeldUp = false
    }

    /// The numbers of events that are never posted.
    package struct Counts: Sendable, Equatable {
        /// Events that were replaced by a later one of their subject.
        package var coalesced = 0
        /// Events for which there was no room until their change was undone.
        package var lost = 0
    }

    /// The counts since the start.
    package private(set) var counts = Counts()

    private let startedAt: Timestamp
    private var standings: [Subject: Standing] = [:]
    private var waiting: [Subject: OperatorEvent] = [:]
    private var slots = FairSlots<BrandID?>(capacity: capacity, capacityPerOwner: capacityPerBrand)
    private var lastPosition: Int64 = 0
    private var lostSinceBatch = 0
    private var batch: OperatorEventBatch?

    /// Creates a queue with one event: the start of the gateway.
    package init(startedAt: Timestamp) {
        self.startedAt = startedAt
        let start = OperatorCondition(Subject(.started))
        _ = add(.begun, start, since: startedAt, now: startedAt)
    }

    /// The number of events that wait; those of a batch that is being posted are not included.
    package var waitingCount: Int { waiting.count }

    /// Compares the conditions that hold now with those of the events so far.
    package mutating func update(_ conditions: [OperatorCondition], now: Timestamp) {
        let present = Dictionary(conditions.map { ($0.subject, $0) }) { first, _ in first }
        // In the order of the conditions, those that have ended last: the order of a dictionary is another in each run.
        let ended = standings.keys.filter { present[$0] == nil }
            .sorted { ($0.type.rawValue, $0.name ?? "") < ($1.type.rawValue, $1.name ?? "") }
        for subject in conditions.map(\.subject) + ended {
            standings[subject] = step(subject, present[subject], now: now)
        }
    }

    /// Returns the next state of a subject whose condition is this one now; nil when it is over.
    private mutating func step(_ subject: Subject, _ new: OperatorCondition?, now: Timestamp) -> Standing? {
        var standing = standings[subject] ?? Standing(told: nil, since: now)
        guard standing.told.map(\.level) != new.map(\.level) else {
            if standing.isHeldUp {
                counts.lost += 1
                lostSinceBatch += 1
            }
            (standing.differsSince, standing.isHeldUp) = (nil, false)
            // One that was over before it was an event is forgotten.
            return new == nil ? nil : standing
        }
        // The clock may have been set back.
        let from = min(standing.differsSince ?? now, now)
        standing.differsSince = from
        guard now >= from.adding(seconds: new?.holdSeconds ?? Self.endSeconds) else { return standing }
        let since = standing.told == nil ? from : standing.since
        let state: OperatorEvent.State = standing.told == nil ? .begun : new == nil ? .ended : .changed
        guard let condition = new ?? standing.told, add(state, condition, since: since, now: now) else {
            standing.isHeldUp = true
            return standing
        }
        return new.map { Standing(told: $0, since: since) }
    }

    /// Adds an event; returns false when there is no room.
    private mutating func add(
        _ state: OperatorEvent.State,
        _ condition: OperatorCondition,
        since: Timestamp,
        now: Timestamp
    ) -> Bool {
        var state = state
        if let before = waiting[condition.subject] {
            counts.coalesced += 1
            // The receiver knows nothing of it yet.
            if before.state == .begun, state == .changed { state = .begun }
        } else if !slots.take(condition.subject.brand) {
            return false
        }
        lastPosition += 1
        waiting[condition.subject] = OperatorEvent(
            position: lastPosition,
            time: now,
            state: state,
            since: since,
            condition: condition
        )
        return true
    }

    /// Returns the batch to post: the same one until ``batchTaken()``, so that each attempt has the same body; nil when
    /// no event waits.
    package mutating func nextBatch() -> OperatorEventBatch? {
        if let batch { return batch }
        guard !waiting.isEmpty else { return nil }
        let events = waiting.values.sorted { $0.position < $1.position }.prefix(OperatorEventBatch.maxEvents)
        for event in events {
            waiting[event.condition.subject] = nil
            slots.release(event.condition.subject.brand)
        }
        batch = OperatorEventBatch(Array(events), lost: lostSinceBatch, startedAt: startedAt)
        lostSinceBatch = 0
        return batch
    }

    /// Notes that the receiver has accepted the batch.
    package mutating func batchTaken() { batch = nil }
}
