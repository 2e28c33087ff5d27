import GatewayModel
import Telemetry

extension WindowMachine {
    /// Returns the latest moment for ``timePassed(now:)``, in nanoseconds on the steady clock, which may have passed;
    /// nil when there is none.
    package func nextDeadline(now: WindowMoment) -> UInt64? {
        switch phase {
        case .closed: return nil
        case .closing(let until): return until
        case .opening, .open: break
        }
        var next = UInt64.max
        if notReadingSince == nil { next = quietSince &+ (hasPinged ? idleNanoseconds : idleNanoseconds / 2) }
        if let graceUntil { next = min(next, graceUntil) }
        if outstanding > 0 { next = min(next, stalledSince &+ stallNanoseconds) }
        if let identity {
            var warning: Int64 = 0
            if case .open = phase, !hasWarned { warning = WindowLimits.warningSeconds * 1000 }
            let milliseconds = identity.expiresAt.milliseconds - warning - now.date.milliseconds
            next = min(next, now.steady &+ UInt64(max(milliseconds, 0)) * 1_000_000)
        }
        return next == .max ? nil : next
    }

    /// Handles the passage of time.
    package mutating func timePassed(now: WindowMoment) -> [WindowAction] {
        switch phase {
        case .closed: return []
        case .closing(let until): return now.steady >= until ? cut(.gone) : []
        case .opening, .open: break
        }
        if let identity {
            let left = identity.expiresAt.milliseconds - now.date.milliseconds
            if left <= 0 { return end(.tokenExpired, now) }
            if !hasWarned, left <= WindowLimits.warningSeconds * 1000, case .open = phase {
                hasWarned = true
                send(.tokenExpiring(inSeconds: (left + 999) / 1000), now)
            }
        }
        if outstanding > 0, now.steady >= stalledSince &+ stallNanoseconds { return end(.slow, now) }
        if let until = graceUntil, now.steady >= until { graceUntil = nil }
        if notReadingSince != nil {
            // The client's frames are read later.
        } else if now.steady >= quietSince &+ idleNanoseconds {
            return cut(.idle)
        } else if !hasPinged, now.steady >= quietSince &+ idleNanoseconds / 2 {
            hasPinged = true
            ping()
        }
        return finish(now)
    }

    /// The time of the client's last frame, on a grid of a quarter of a second.
    ///
    /// One wake-up of the event loop then pings many idle windows. It is rounded down, so that the timer for the pong,
    /// which arrives at once, is also the timer of the next ping.
    private var quietSince: UInt64 { lastActivity - lastActivity % 250_000_000 }
}
