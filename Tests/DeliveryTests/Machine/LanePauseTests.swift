import GatewayModel
import Testing

@testable import Delivery

@Suite("A lane whose provider is overloaded")
struct LanePauseTests {
    private static let manyFaults = DeliverySettings().faultsBeforePause
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)
    private static func after(_ milliseconds: Int64) -> Timestamp { start.adding(milliseconds: milliseconds) }

    /// Returns a pause after faults without a requested wait: all but the last at the start, the last this many
    /// milliseconds later.
    private func faults(_ count: Int = manyFaults, last: Int64 = 0, isOfLane: Bool = false) -> LanePause {
        var pause = LanePause(manyFaults: Self.manyFaults)
        for number in 1...count {
            let moment = number == count ? last : 0
            pause.fault(asked: nil, isOfLane: isOfLane, isProbe: false, now: Self.after(moment))
        }
        return pause
    }

    @Test("pauses after ten faults within a second, and not for fewer or for some that are far apart")
    func several() {
        #expect(faults(1).until == nil)
        #expect(faults(9).until == nil)
        #expect(faults(10, last: 999).until == Self.after(1999))
        #expect(faults(10, last: 1000).until == nil)
        #expect(faults(1, isOfLane: true).until == Self.after(1000))
    }

    @Test("does not pause while pushes are accepted between the faults")
    func between() {
        var pause = LanePause(manyFaults: Self.manyFaults)
        for moment in stride(from: Int64(0), to: 900, by: 10) {
            for _ in 1..<Self.manyFaults {
                pause.fault(asked: nil, isOfLane: false, isProbe: false, now: Self.after(moment))
            }
            pause.taken(now: Self.after(moment + 2))
        }
        #expect(pause.until == nil)
    }

    @Test("pauses as long as the provider asks, up to a minute, and pushes in flight do not end that")
    func asked() {
        var pause = LanePause(manyFaults: Self.manyFaults)
        pause.fault(asked: 20, isOfLane: true, isProbe: false, now: Self.start)
        #expect(pause.until == Self.after(20_000))
        pause.taken(now: Self.after(10))
        #expect(pause.until == Self.after(20_000))
        pause.fault(asked: 30, isOfLane: true, isProbe: false, now: Self.after(20))
        #expect(pause.until == Self.after(30_020))
        pause.fault(asked: 5, isOfLane: true, isProbe: false, now: Self.after(30))
        #expect(pause.until == Self.after(30_020))
        pause.fault(asked: 3600, isOfLane: true, isProbe: false, now: Self.after(40))
        #expect(pause.until == Self.after(60_040))
    }

    @Test("probes after 1, 2 and 5 seconds and then every 5, until a push is accepted")
    func tries() {
        var pause = faults()
        var now = Self.start
        for seconds in [Int64(1), 2, 5, 5, 5] {
            #expect(pause.until == now.adding(seconds: seconds) && !pause.isProbing(now: now))
            now = now.adding(seconds: seconds)
            #expect(pause.isProbing(now: now))
            pause.fault(asked: nil, isOfLane: false, isProbe: true, now: now)
        }
        now = now.adding(seconds: 5)
        pause.taken(now: now)
        #expect(pause.until == nil && !pause.isProbing(now: now))
        // A new pause begins with the shortest wait.
        for _ in 0..<Self.manyFaults { pause.fault(asked: nil, isOfLane: false, isProbe: false, now: now) }
        #expect(pause.until == now.adding(seconds: 1))
    }

    @Test("unsent pushes leave again at once, then after 1, 2 and 5 seconds, those of one connection together")
    func unsent() {
        var wait = UnsentWait()
        // Three were on one connection that ended.
        for moment in [Int64(10), 12, 14] {
            let due = wait.due(takenAt: Self.start, now: Self.after(moment))
            #expect(due == Self.after(moment))
        }
        var now = Self.after(20)
        for seconds in [Int64(1), 2, 5, 5] {
            let taken = now
            now = now.adding(milliseconds: 3)
            let due = wait.due(takenAt: taken, now: now)
            #expect(due == now.adding(seconds: seconds))
            let another = wait.due(takenAt: taken, now: now.adding(milliseconds: 1))
            #expect(another == due, "of the same connection")
            now = now.adding(seconds: seconds)
        }
        wait.sent()
        let due = wait.due(takenAt: now, now: now)
        #expect(due == now)
    }
}
