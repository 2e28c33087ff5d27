import Delivery
import GatewayModel
import Testing

@Suite("The pace of a campaign or a lane")
struct PushPaceTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    @Test(
        "half of a full bucket leaves at once, but not fewer than 64 or 8 ms of the rate",
        arguments: [
            (1, 1), (12, 1), (25, 2), (800, 64), (1_000, 64), (1_600, 64), (1_601, 64), (10_000, 400),
            (100_000, 4_000), (600_000, 24_000),
        ] as [(Int64, Int)]
    )
    func full(perSecond: Int64, pushes: Int) {
        let pace = PushPace(perSecond: perSecond, now: Self.start)
        #expect(pace.pushes(perSecond: perSecond) == pushes)
        #expect(pace.nextPush(perSecond: perSecond, now: Self.start) == Self.start)
    }

    @Test(
        "an empty bucket lets none out, and continues with 64 or 8 ms of the rate, or after 20 ms or one push",
        arguments: [
            (1, 1000, 1), (30, 34, 1), (100, 20, 2), (1_000, 20, 20), (6_400, 10, 64), (10_000, 8, 80),
            (600_000, 8, 4_800),
        ] as [(Int64, Int64, Int)]
    )
    func empty(perSecond: Int64, wait: Int64, pushes: Int) {
        var pace = PushPace(perSecond: perSecond, now: Self.start)
        pace.take(100_000)
        #expect(pace.pushes(perSecond: perSecond) == 0)
        let next = Self.start.adding(milliseconds: wait)
        #expect(pace.nextPush(perSecond: perSecond, now: Self.start) == next)
        pace.fill(perSecond: perSecond, now: next)
        #expect(pace.pushes(perSecond: perSecond) == pushes)
    }

    @Test(
        "no pace is lost while turns are no rarer than each 40 ms, whatever is between them",
        arguments: [25, 30, 800, 1_000, 1_600, 10_000, 100_000, 600_000] as [Int64],
        [[40], [8, 1, 40, 25, 40, 3], [1, 1, 1, 40]] as [[Int64]]
    )
    func nothingLost(perSecond: Int64, waits: [Int64]) {
        var pace = PushPace(perSecond: perSecond, now: Self.start)
        var now = Self.start
        var sent: Int64 = 0
        for _ in 0..<500 {
            for wait in waits {
                now = now.adding(milliseconds: wait)
                guard pace.nextPush(perSecond: perSecond, now: now) <= now else { continue }
                pace.fill(perSecond: perSecond, now: now)
                let pushes = pace.pushes(perSecond: perSecond)
                pace.take(pushes)
                sent += Int64(pushes)
            }
        }
        let due = (now.milliseconds - Self.start.milliseconds) * perSecond / 1000
        // The bucket was full at the beginning, and may be at the end.
        let most = due + perSecond * 80 / 1000
        #expect(sent >= due - 1 && sent <= most, "\(sent) of \(due) to \(most)")
    }

    @Test("a campaign that had no pace for a while is not held up for what it sent then")
    func paceSetAgain() {
        var pace = PushPace(perSecond: 10, now: Self.start)
        pace.take(100_000)
        #expect(pace.nextPush(perSecond: 10, now: Self.start) == Self.start.adding(milliseconds: 100))
    }
}
