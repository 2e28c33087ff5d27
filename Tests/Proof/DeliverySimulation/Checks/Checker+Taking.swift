import Delivery
import GatewayModel
import GatewayStorage

extension Checker {
    /// Checks a push that was handed out; `threshold` is the most waiting messages for which the brand wants no
    /// summary, nil never wants one.
    mutating func taken(
        _ job: PushJob,
        threshold: Int?,
        now: Timestamp,
        _ store: SimulatedStore
    ) throws(Violation) {
        let id = job.delivery.rawValue
        let row = store.delivery(id)
        let registration = Int(row.registration) - 1
        try expect(.oneInFlight, place(id) != .inFlight && sending[registration] == 0) {
            "delivery \(id) leaves while \(sending[registration]) of its registration is in flight"
        }
        try expect(invariant(of: row), !tracked[Int(id) - 1].isGone) { "delivery \(id) ended and leaves" }
        try expect(.ownershipAgrees, place(id) == .waiting) { "delivery \(id) leaves and was never handed out" }
        let isEndedBeside = rowsEndedBeside.contains(id)
        try expect(.erasedIsGone, !delivered.erased.contains(Int(row.consumer) - 1) || isEndedBeside) {
            "delivery \(id) leaves for consumer \(row.consumer), who was erased"
        }
        guard let known = delivered.registrations[registration], known.isActive else {
            throw Violation(invariant: .nothingAfterEnd, detail: "delivery \(id) leaves for a registration that ended")
        }
        // A proactive push that was queued before the device opted out still leaves: only agents' are withdrawn.
        let isAgents = row.message.map { $0.kind == .agent } ?? true
        try expect(.nothingAfterEnd, known.receives.contains(.agent) || !isAgents) {
            "delivery \(id) is not wanted any more"
        }
        try expect(.tokenIsCurrent, job.token == known.token) { "delivery \(id) leaves for an old token" }
        if let conversation = row.conversation, Int(conversation) <= delivered.marks.count, !isEndedBeside {
            try expect(.nothingRead, row.sequence > delivered.marks[Int(conversation) - 1]) {
                "delivery \(id) leaves after it was read"
            }
        }
        try expect(.nothingExpired, row.expiresAt > now || !mayExpire) { "delivery \(id) leaves after it expired" }
        try checkWaits(id, now: now)
        try checkPlatform(of: job, now: now)
        try checkClass(id, store)
        try checkOrder(id, except: try summed(job, threshold: threshold, now: now, store), store)
        try checkBadge(job, row, of: known)
        try checkTurn(id)
        move(id, to: .inFlight)
        pushes += 1
    }

    /// Checks the messages that a push stands for besides its own: all that wait with it, when they are too many.
    private mutating func summed(
        _ job: PushJob,
        threshold: Int?,
        now: Timestamp,
        _ store: SimulatedStore
    ) throws(Violation) -> [Int64] {
        let id = job.delivery.rawValue
        // An expired one leaves while the clock may be wrong, and by itself.
        guard let threshold, let message = job.message, message.countsAsUnread, store.delivery(id).expiresAt > now
        else { return [] }
        let waiting = held[Int(job.registration.rawValue) - 1].filter {
            let row = store.delivery($0)
            return row.expiresAt > now && row.message?.countsAsUnread == true
        }.sorted()
        let since = waiting.map { store.delivery($0).queuedAt }.min() ?? now
        let isStorm =
            waiting.count > threshold && since <= now.adding(seconds: -settings.summaryAfterSeconds)
        // Messages of a summary do not leave separately while the summary waits for its retry.
        let summary = tracked[Int(id) - 1].summarizedBy
        if summary > id, store.isPending(summary), store.delivery(summary).owner == nil,
            let wait = store.waiting[.init(registration: job.registration.rawValue, queue: .agent)]
        {
            // A clock that is set back delays them together.
            let isApart = store.delivery(id).notBefore < wait.notBefore
            try expect(.stormIsSummed, wait.due.map { $0 <= now } ?? true || !isApart) {
                "delivery \(id) leaves while \(summary), which stood for it, waits for its retry"
            }
        }
        let others = isStorm ? waiting.filter { $0 != id } : []
        let expiresAt = (others + [id]).map { store.delivery($0).expiresAt }.max() ?? now
        try expect(.stormIsSummed, others.allSatisfy { $0 < id } && job.expiresAt == expiresAt) {
            "delivery \(id) leaves for \(others), until \(job.expiresAt.milliseconds)"
        }
        try expect(.stormIsSummed, job.summary == (others.isEmpty ? 0 : others.count + 1)) {
            "delivery \(id) leaves for \(job.summary) messages instead of \(others.count + 1)"
        }
        try checkWords(job, others, store)
        note(others, summarizedBy: id)
        return others
    }

    /// Checks that a summary is as urgent as the most urgent of its messages, and has the sound of the newest that has
    /// one.
    private func checkWords(_ job: PushJob, _ others: [Int64], _ store: SimulatedStore) throws(Violation) {
        let summarized = others.isEmpty ? [] : others + [job.delivery.rawValue]
        let messages = summarized.compactMap { store.delivery($0).message }
        let (isUrgent, sound) = (messages.contains { $0.priority == .high }, messages.last { $0.sound != nil }?.sound)
        try expect(.stormIsSummed, job.isUrgent == isUrgent && job.sound == sound) {
            "delivery \(job.delivery) leaves for \(others), urgent \(job.isUrgent), with sound \(job.sound ?? "none")"
        }
    }

    /// Checks that no push of a later class leaves before one of an earlier class, on its lane or to its device.
    private func checkClass(_ id: Int64, _ store: SimulatedStore) throws(Violation) {
        let pushClass = store.delivery(id).queue.pushClass
        let (lane, own) = (tracked[Int(id) - 1].lane, Int(tracked[Int(id) - 1].registration) - 1)
        for (place, held) in held.enumerated() where place == own || sending[place] == 0 {
            for other in held where tracked[Int(other) - 1].lane == lane && self.place(other) == .waiting {
                try expect(.classOrder, store.delivery(other).queue.pushClass >= pushClass) {
                    "delivery \(id) (\(pushClass)) leaves before \(other) (\(store.delivery(other).queue.pushClass))"
                }
            }
        }
    }

    /// Checks that a push overtakes only what it stands for, and what came after the oldest of that.
    private func checkOrder(_ id: Int64, except summed: [Int64], _ store: SimulatedStore) throws(Violation) {
        guard looksAtOrder, let registration = store.registration(store.delivery(id).registration) else { return }
        let queue = store.delivery(id).queue
        for other in registration.pending where other < id && store.delivery(other).queue == queue {
            if let oldest = summed.first, other >= oldest, self.place(other) == .waiting { continue }
            if id <= tracked[Int(other) - 1].triedAgainAfter { continue }
            if tracked[Int(id) - 1].overtaken.contains(other) { continue }
            let place = place(other)
            try expect(.deviceOrder, place == .ended || place == .dropped) {
                "delivery \(id) leaves before \(other), which is \(place)"
            }
        }
    }

    /// Returns how often the consumer of a registration has read, as far as the state machine was notified.
    func reads(of registration: RegistrationID) -> Int {
        guard let consumer = delivered.registrations[Int(registration.rawValue) - 1]?.consumer else { return 0 }
        return Int(consumer) <= delivered.reads.count ? delivered.reads[Int(consumer) - 1] : 0
    }

    /// Checks the badge of a push against its consumer as the state machine knows it: the store may have merged the
    /// consumer since.
    private func checkBadge(
        _ job: PushJob,
        _ row: SimulatedStore.Delivery,
        of known: SimulatedStore.Registration
    ) throws(Violation) {
        let consumer = Int(known.consumer) - 1
        let unread = consumer < delivered.unread.count ? delivered.unread[consumer] : 0
        let hasBadge = row.message.map { !$0.silent && known.receives.contains(.agent) } ?? true
        let badge = hasBadge ? unread : nil
        try expect(.badgeIsTrue, job.badge == badge) {
            "delivery \(job.delivery) carries badge \(job.badge ?? -1) instead of \(badge ?? -1)"
        }
    }
}
