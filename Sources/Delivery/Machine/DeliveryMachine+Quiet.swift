import DequeModule
package import GatewayModel
import GatewayStorage

/// Quiet hours: decided when a push would leave, because what is sent is true at the moment of sending.
///
/// What is held goes back to the store, due when the quiet hours end, and keeps its place: younger rows of the device queue up
/// behind it there. A start in between leaves it there while these hours still hold; else it is due at once, and decided again.
extension DeliveryMachine {
    /// What a quiet span depends on.
    struct QuietKey: Hashable {
        var hours: QuietHours
        var timeZone: String?
    }

    /// More answers than there are time zones need not be remembered.
    private static let maxQuietSpans = 1000

    /// Says what a lane's brand asks of it.
    ///
    /// - Parameters:
    ///   - rules: Its rules; nil when it asks nothing.
    ///   - id: The lane.
    ///   - isChange: Whether an operator changed them: what waits in the store because of the old ones is looked at again.
    package mutating func setRules(_ rules: LaneRules?, of id: LaneID, isChange: Bool) {
        let old = self.rules[id]
        // Who only learns them must not hide a change whose notice is on its way.
        guard old != rules, isChange || old == nil else { return }
        self.rules[id] = rules
        lanes.touch(id)
        // What was held by the old ones and is not written down yet must be there to be looked at.
        if isChange, old?.quietHours != rules?.quietHours { requeues[id] = outcomesAdded }
    }

    /// What becomes of a row in quiet hours; nil when it is not quiet for its device, or the row shows nothing.
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

    /// The quiet hours of a device: the consumer's own win over its brand's.
    private static func quietHours(_ traits: DeviceTraits?, _ rules: LaneRules?) -> QuietHours? {
        guard var hours = traits?.quietHours ?? rules?.quietHours else { return nil }
        hours.timeZone = hours.timeZone ?? rules?.quietHours?.timeZone
        return hours
    }

    /// Until when rows of a device that show something are held back.
    ///
    /// - Parameters:
    ///   - traits: What is known of the device.
    ///   - rules: What its brand asks.
    ///   - now: The wall clock.
    /// - Returns: Nil when they are not.
    package static func heldUntil(_ traits: DeviceTraits?, _ rules: LaneRules?, now: Timestamp) -> Timestamp? {
        guard let hours = quietHours(traits, rules), hours.mode == .held else { return nil }
        let span = QuietSpan(hours, timeZone: traits?.timeZone, at: now)
        return span.isQuiet ? span.until : nil
    }

    /// What an operator or a consumer changed shortens the wait of rows that are on their way back to the store: they are due
    /// at once there, behind older ones that wait.
    mutating func recall(_ wanted: Set<RegistrationID>, now: Timestamp) {
        guard wanted.contains(where: { registrations[$0]?.givenBack != nil }) else { return }
        for index in outcomes.indices where wanted.contains(outcomes[index].registration) {
            if case .release(_, isAsked: false) = outcomes[index].disposition {
                outcomes[index].disposition = .release(due: now)
            }
        }
        for id in wanted {
            guard let mark = registrations[id]?.givenBack, let lane = registrations[id]?.lane else { continue }
            guard !mark.isAsked else { continue }
            registrations[id]?.givenBack?.due = min(mark.due, now)
            lanes[lane]?.noteBacklogs(due: now)
        }
    }

    /// Gives the waiting rows of a registration back until the quiet hours end; ends those whose time is over by then.
    ///
    /// - Parameters:
    ///   - registration: The registration; none of its rows is on its way.
    ///   - key: Its number.
    ///   - lane: Its lane, which is not among ``lanes`` meanwhile.
    ///   - until: The end of the quiet hours.
    mutating func hold(
        _ registration: inout Registration,
        _ key: RegistrationID,
        _ lane: inout Lane,
        until: Timestamp
    ) {
        while let row = registration.head {
            registration.head = registration.tail.popFirst()
            lane.rows.remove(row)
            deviceRows.went(key)
            if row.expiresAt > until || !mayExpire {
                release(row, due: until)
                lane.noteBacklog(row.queue, due: until)
                registration.givenBack = GivenBack(due: until, outcome: outcomesAdded, isAsked: false)
                givenBack.insert(key)
            } else {
                addEnd(of: row, .suppressed, by: .quietHours)
            }
        }
    }
}
