import Delivery
import GatewayModel
import GatewayStorage

/// Quiet hours of devices, computed in minutes of the day, in time zones without daylight saving time.
extension Checker {
    /// A row that was requeued because of its device's quiet hours.
    struct HeldRow: Sendable {
        /// The end of the quiet hours.
        var until: Timestamp
        /// The device's traits and the brand's quiet hours that this was computed from.
        var traits: DeviceTraits?
        var hours: QuietHours?
    }

    /// Returns the time zone and quiet hours of a device that the state machine received last.
    func traits(of registration: RegistrationID) -> DeviceTraits? {
        guard let known = delivered.registrations[Int(registration.rawValue) - 1] else { return nil }
        return DeviceTraits(
            locale: nil,
            timeZone: known.timeZone,
            quietHours: delivered.quietHours[Int(known.consumer) - 1]
        )
    }

    /// Returns whether quiet hours hold or silence a device's pushes now, and when they end; nil when it has none now.
    func quiet(
        _ traits: DeviceTraits?,
        _ brand: QuietHours?,
        now: Timestamp
    ) -> (mode: QuietHours.Mode, until: Timestamp)? {
        guard let hours = traits?.quietHours ?? brand, hours.mode != .off else { return nil }
        let zone = traits?.timeZone ?? hours.timeZone ?? brand?.timeZone
        let minutes = Int(now.milliseconds / 60_000)
        let minute = (minutes + (zone == SimulationPlan.farZone ? SimulationPlan.farMinutes : 0)) % 1440
        let isQuiet =
            hours.from < hours.to
            ? minute >= hours.from && minute < hours.to : minute >= hours.from || minute < hours.to
        guard isQuiet else { return nil }
        let left = (hours.to - minute + 1440) % 1440
        return (hours.mode, Timestamp(milliseconds: Int64(minutes + left) * 60_000))
    }

    /// Checks the rows of devices in quiet hours when a provider takes pushes: they wait until the hours end, or end if
    /// they expire before.
    mutating func checkHolding(
        _ outcomes: some Sequence<OutcomeRecord>,
        _ brand: QuietHours?,
        _ store: SimulatedStore,
        now: Timestamp
    ) throws(Violation) {
        for outcome in outcomes {
            let traits = traits(of: outcome.registration)
            let quiet = quiet(traits, brand, now: now)
            let until = quiet?.mode == .held ? quiet?.until : nil
            let isInTime = until.map { store.delivery(outcome.delivery.rawValue).expiresAt > $0 || !mayExpire } ?? false
            var holds = true
            switch outcome.disposition {
            case .release(let due, isAsked: false) where due > now:
                holds = due == until && isInTime
                heldRows[outcome.delivery.rawValue] = HeldRow(until: due, traits: traits, hours: brand)
            case .finished(.suppressed, .quietHours): holds = until != nil && !isInTime
            default: break
            }
            try expect(.quietIsKept, holds) {
                "delivery \(outcome.delivery) becomes \(outcome.disposition), and its quiet hours end at \(until?.milliseconds ?? 0)"
            }
        }
    }

    /// Checks that a turn records held rows as they were decided, unless the quiet hours have changed since.
    mutating func checkHeld(_ outcomes: [OutcomeRecord], _ brand: QuietHours?) throws(Violation) {
        for outcome in outcomes {
            guard let held = heldRows.removeValue(forKey: outcome.delivery.rawValue),
                case .release(let due, isAsked: false) = outcome.disposition, held.hours == brand,
                held.traits == traits(of: outcome.registration)
            else { continue }
            try expect(.quietEnds, due == held.until) {
                "delivery \(outcome.delivery) waits until \(due.milliseconds) instead of \(held.until.milliseconds)"
            }
        }
    }

    /// Checks that rows which wait for the end of quiet hours are due when the current ones end.
    ///
    /// The outcomes are not committed yet; the store has applied all requests, and its results were all delivered.
    func checkHeld(
        _ outcomes: some Sequence<OutcomeRecord>,
        _ brand: QuietHours?,
        _ store: SimulatedStore,
        now: Timestamp
    ) throws(Violation) {
        guard !hasJumped else { return }
        for outcome in outcomes {
            guard case .release(let due, isAsked: false) = outcome.disposition, due > now,
                !deletedLanes.contains(store.delivery(outcome.delivery.rawValue).lane)
            else { continue }
            try checkHeld(outcome.registration, until: due, brand, now: now)
        }
        for (key, wait) in store.waiting where !deletedLanes.contains(wait.lane) {
            guard let due = wait.due, due > now, due > wait.notBefore else { continue }
            try checkHeld(RegistrationID(key.registration), until: due, brand, now: now)
        }
    }

    private func checkHeld(
        _ registration: RegistrationID,
        until due: Timestamp,
        _ brand: QuietHours?,
        now: Timestamp
    ) throws(Violation) {
        guard delivered.registrations[Int(registration.rawValue) - 1] != nil else { return }
        let quiet = quiet(traits(of: registration), brand, now: now)
        try expect(.quietEnds, quiet?.mode == .held && quiet?.until == due) {
            "rows of registration \(registration) wait until \(due.milliseconds), and its quiet hours end at \(quiet?.until.milliseconds ?? 0)"
        }
    }
}
