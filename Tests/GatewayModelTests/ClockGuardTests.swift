import Testing

@testable import GatewayModel

@Suite("The clock guard at a start")
struct ClockGuardTests {
    private static let day: Int64 = 86_400
    private static let known = Timestamp(milliseconds: 1_767_323_045_678)
    private static let hour: UInt64 = 3_600_000_000_000

    /// Returns the guard for a start the given number of seconds after the newest stored time.
    private func start(_ seconds: Int64, passed: Int64? = nil, monotonic: UInt64 = 5) -> ClockGuard {
        let mark = ClockMark(trusted: Self.known, guardedMilliseconds: passed)
        let system = Self.known.adding(seconds: seconds)
        return ClockGuard(StoredTime(mark: mark), system: system, monotonic: monotonic)
    }

    @Test("time begins at the system clock, or at the newest stored time if the clock is behind it")
    func begins() {
        for seconds in [0, 1, Self.day, 60 * Self.day] {
            #expect(start(seconds).start == Self.known.adding(seconds: seconds))
        }
        for seconds in [-1, -Self.day, -365 * Self.day] { #expect(start(seconds).start == Self.known) }
        let first = ClockGuard(StoredTime(), system: Self.known, monotonic: 5)
        #expect(first.start == Self.known && !first.isOn && first.newest == nil)
    }

    @Test("the guard is on only for a clock that is more than three days ahead")
    func threshold() {
        for seconds in [-365 * Self.day, 0, 3 * Self.day] { #expect(!start(seconds).isOn) }
        #expect(start(3 * Self.day + 1).isOn)
        #expect(start(7 * Self.day).isOn)
    }

    @Test("the guard ends by itself once, after six hours of running")
    func lasts() {
        var decision = start(60 * Self.day, monotonic: 5)
        #expect(decision.remainingMilliseconds(monotonic: 5) == ClockGuard.lastsMilliseconds)
        let end = 5 + 6 * Self.hour
        let ends = [end - 1_000_000, end, end + Self.hour].map { monotonic in
            decision.timePassed(system: decision.start.adding(seconds: 6 * 3600), monotonic: monotonic)
        }
        #expect(ends == [false, true, false])
        #expect(!decision.isOn && decision.remainingMilliseconds(monotonic: 5) == nil)
    }

    @Test("an operator's confirmation ends the guard at once, and has no effect when the guard is off")
    func accepted() {
        var decision = start(60 * Self.day)
        let now = decision.start.adding(seconds: 60)
        let ends = (1...2).map { _ in decision.accept(system: now, monotonic: 60_000_000_005) }
        #expect(ends == [true, false] && !decision.isOn)
        // The next start trusts the same clock.
        let mark = decision.mark(now: now, monotonic: 60_000_000_005)
        #expect(mark == ClockMark(trusted: now))
        #expect(!ClockGuard(StoredTime(mark: mark), system: now.adding(seconds: 5), monotonic: 0).isOn)
    }

    @Test("a restart with the same wrong clock continues the rest of the six hours, one with the right clock ends it")
    func restarts() {
        let wrong = start(60 * Self.day)
        let mark = wrong.mark(now: wrong.start.adding(seconds: 7200), monotonic: 5 + 2 * Self.hour)
        #expect(mark == ClockMark(trusted: Self.known, guardedMilliseconds: 2 * 3_600_000))
        let again = start(60 * Self.day + 7300, passed: mark.guardedMilliseconds)
        #expect(again.remainingMilliseconds(monotonic: 5) == ClockGuard.lastsMilliseconds * 2 / 3)
        #expect(!start(60 * Self.day, passed: 6 * 3_600_000).isOn)
        let right = start(300, passed: mark.guardedMilliseconds)
        #expect(!right.isOn && right.start == Self.known.adding(seconds: 300))
        #expect(right.mark(now: right.start, monotonic: 5) == ClockMark(trusted: right.start))
    }

    @Test("a clock that is set back during the guard was wrong: only the next start ends the guard")
    func setBack() {
        var decision = start(60 * Self.day, monotonic: 5)
        let later = 5 + 6 * Self.hour
        // A slewed clock does not count as set back.
        let slewed = Self.known.adding(seconds: 60 * Self.day + 6 * 3600 - 10)
        #expect(!decision.wasWrong(system: slewed, monotonic: later))
        let right = Self.known.adding(seconds: 6 * 3600)
        #expect(decision.wasWrong(system: right, monotonic: later))
        let ends = [
            decision.timePassed(system: right, monotonic: later), decision.accept(system: right, monotonic: later),
        ]
        #expect(ends == [false, false] && decision.isOn)
        let mark = decision.mark(now: decision.start.adding(seconds: 6 * 3600), monotonic: later)
        let next = ClockGuard(StoredTime(mark: mark), system: right, monotonic: 0)
        #expect(!next.isOn && next.start == right && !next.wasWrong(system: right, monotonic: 0))
    }

    @Test("the time of a guarded clock is not the newest time, one of a trusted clock since its mark is")
    func newest() {
        let later = Self.known.adding(seconds: 300)
        let wrong = Self.known.adding(seconds: 60 * Self.day)
        #expect(StoredTime(mark: ClockMark(trusted: Self.known), written: [wrong, later, wrong]).newest == later)
        #expect(StoredTime(mark: ClockMark(trusted: later), written: [Self.known]).newest == later)
        // Data from before marks existed.
        #expect(StoredTime(written: [Self.known, later]).newest == later)
        #expect(StoredTime().newest == nil)
    }
}
