import DequeModule
package import GatewayModel
import GatewayStorage

/// Quiet hours, decided when a push would leave, because a push must be correct at the moment of sending.
///
/// A held row is requeued, due when the quiet hours end, and keeps its place: younger rows of the device queue up
/// behind it in the store. A restart meanwhile leaves it there while these hours still apply; otherwise it is due at
/// once and decided again.
extension DeliveryMachine {
    /// The inputs that determine a quiet span.
    struct QuietKey: Hashable {
        var hours: QuietHours
        var timeZone: String?
    }

    /// The most spans that are cached; there are fewer time zones than this.
    private static let maxQuietSpans = 1000

    /// Sets the rules of a lane's brand; nil sets none.
    ///
    /// After a change by an operator (`isChange`), rows that wait in the store because of the old rules are checked
    /// again.
    package mutating func setRules(_ rules: LaneRules?, of id: LaneID, isChange: Bool) {
        let old = self.rules[id]
        // A caller that only loads the rules must not hide a change whose notification is still to come.
        guard old != rules, isChange || old == nil else { return }
        self.rules[id] = rules
        // Counts for another time cannot be compared.
        if old?.objectiveSeconds != rules?.objectiveSeconds { objectives[id] = nil }
        lanes.touch(id)
        // Rows that the old rules held must be committed before they can be checked again.
        if isChange, old?.quietHours != rules?.quietHours { requeues[id] = outcomesAdded }
    }

    /// Returns what happens to a row in quiet hours; nil when there are none for its device now, or the row shows
    /// nothing.
    mutating func quiet(
        _ row: OutboxRow,
        _ traits: DeviceTraits?,
        _ rules: LaneRules?,
        now: Timestamp
    ) -> (mode: QuietHours.Mode, until: Timestamp)? {
        guard row.message?.silent == false, let hours = Self.quietHours(traits, rules) else { return nil }
        let key = QuietKey(hours: hours, timeZone: traits?.timeZone)
        var span: QuietSpan
        if let known = quietSpans[key], known.holds(at: now) {
            span = known
        } else {
            span = QuietSpan(hours, timeZone: traits?.timeZone, at: now)
            if quietSpans.count >= Self.maxQuietSpans { quietSpans = [:] }
            quietSpans[key] = span
        }
        return span.isQuiet ? (hours.mode, span.until) : nil
    }

    /// Returns the quiet hours of a device: the consumer's own take precedence over the brand's.
    private static func quietHours(_ traits: DeviceTraits?, _ rules: LaneRules?) -> QuietHours? {
        guard var hours = traits?.quietHours ?? rules?.quietHours else { return nil }
        hours.timeZone = hours.timeZone ?? rules?.quietHours?.timeZone
        return hours
    }

    /// Returns until when rows of a device that show something are held; nil when they are not held.
    package static func heldUntil(_ traits: DeviceTraits?, _ rules: LaneRules?, now: Timestamp) -> Timestamp? {
        guard let hours = quietHours(traits, rules), hours.mode == .held else { return nil }
        let span = QuietSpan(hours, timeZone: traits?.timeZone, at: now)
        return span.isQuiet ? span.until : nil
    }

    /// Shortens the wait of rows that are being requeued, after a change by an operator or a consumer: in the store
    /// they are due at once, behind older ones that wait.
    mutating func recall(_ wanted: Set<RegistrationID>, now: Timestamp) {
        guard wanted.contains(where: { registrations[$0]?.requeuedRows != nil }) else { return }
        for index in outcomes.indices where wanted.contains(outcomes[index].registration) {
            if case .release(_, isAsked: false) = outcomes[index].disposition {
                outcomes[index].disposition = .release(due: now)
            }
        }
        for id in wanted {
            guard let mark = registrations[id]?.requeuedRows, let lane = registrations[id]?.lane else { continue }
            guard !mark.isAsked else { continue }
            registrations[id]?.requeuedRows?.due = min(mark.due, now)
            lanes[lane]?.noteBacklogs(due: now)
        }
    }

    /// Requeues the waiting rows of a registration until the quiet hours end; ends those that expire before; none is in
    /// flight, and the lane is not in ``lanes`` meanwhile.
    mutating func hold(
        _ registration: inout Registration,
        _ key: RegistrationID,
        _ lane: inout Lane,
        until: Timestamp
    ) {
        while let row = registration.head {
            registration.head = registration.tail.popFirst()
            lane.rows.remove(row)
            deviceRows.removed(key)
            if row.expiresAt > until || !mayExpire {
                release(row, due: until)
                lane.noteBacklog(row.queue, due: until)
                registration.requeuedRows = RequeuedRows(due: until, outcome: outcomesAdded, isAsked: false)
                requeuedRows.insert(key)
            } else {
                addEnd(of: row, .suppressed, by: .quietHours)
            }
        }
    }
}
