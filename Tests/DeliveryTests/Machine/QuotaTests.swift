import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@testable import Delivery

@Suite("The quota that lanes share")
struct QuotaTests {
    private static let start = Timestamp(milliseconds: 1_700_000_012_345)

    /// Takes all that may leave each ten milliseconds; returns the number that left in each second.
    private func drain(_ bucket: inout QuotaBucket, seconds: Int64, from start: Timestamp) -> [Int] {
        (0..<seconds).map { second in
            var count = 0
            for part in 0..<Int64(100) {
                bucket.fill(now: start.adding(milliseconds: second * 1000 + part * 10))
                while bucket.admits(.agent) {
                    bucket.take()
                    count += 1
                }
            }
            return count
        }
    }

    @Test("the rate rises from 1,000 a second to the full one within a minute, and no 60 s bring more than the quota")
    func ramp() {
        var bucket = QuotaBucket(perMinute: 600_000, now: Self.start)
        let seconds = drain(&bucket, seconds: 300, from: Self.start)
        #expect(seconds[0] <= 2000)
        #expect(seconds[30] < 6500 && seconds[30] > 4500)
        #expect(seconds[70] > 9700)
        for first in 0..<240 { #expect(seconds[first..<(first + 60)].reduce(0, +) <= 600_000) }
        #expect(seconds[100..<160].reduce(0, +) > 580_000)
    }

    @Test("after a minute without use the ramp starts again, after half a minute the rate is halved")
    func idle() {
        var bucket = QuotaBucket(perMinute: 600_000, now: Self.start)
        _ = drain(&bucket, seconds: 90, from: Self.start)
        #expect(bucket.rate == 9836)
        var half = bucket
        half.fill(now: Self.start.adding(seconds: 90 + 30))
        #expect(half.rate > 4500 && half.rate < 6500)
        bucket.fill(now: Self.start.adding(seconds: 90 + 62))
        #expect(bucket.rate == 1000)
    }

    @Test("few pushes never wait, whatever came before")
    func few() {
        var bucket = QuotaBucket(perMinute: 600_000, now: Self.start)
        for millisecond in stride(from: Int64(0), to: 120_000, by: 2) {
            bucket.fill(now: Self.start.adding(milliseconds: millisecond))
            #expect(bucket.admits(.agent))
            bucket.take()
        }
    }

    @Test("a clock that is set back neither fills it nor stops it")
    func setBack() {
        var bucket = QuotaBucket(perMinute: 60_000, now: Self.start)
        while bucket.admits(.agent) { bucket.take() }
        bucket.fill(now: Self.start.adding(seconds: -3600))
        #expect(!bucket.admits(.agent))
        #expect(bucket.next(for: .agent) <= Self.start.adding(seconds: -3599))
        bucket.fill(now: Self.start.adding(seconds: -3599))
        #expect(bucket.admits(.agent))
    }

    @Test("lanes of one group share it, agents' pushes go first, and the deadline is when it continues")
    func lanes() throws {
        var script = MachineScript(slots: 2000)
        let quota = PushQuota(group: "project", perMinute: 600_000)
        for lane in [MachineScript.lane, MachineScript.otherLane] { script.machine.setQuota(quota, of: lane) }
        func rows(_ count: Int64, from first: Int64, lane: LaneID, isAgents: Bool) throws -> [OutboxRow] {
            try (0..<count).map {
                var row = try script.row(device: first + $0, consumer: first + $0, lane: lane)
                if !isAgents { row.queue = .proactive(campaign: nil) }
                return row
            }
        }
        let proactive = try rows(1200, from: 1, lane: MachineScript.lane, isAgents: false)
        script.turn(owned: proactive)
        #expect(script.take(5000).count == 900)
        #expect(!script.machine.hasWork(MachineScript.lane, now: script.now))
        let next = try #require(script.machine.nextDeadline(now: script.now))
        #expect(next > script.now && next <= script.now.adding(milliseconds: 25))
        // Agents have the rest, on either lane.
        script.turn(owned: try rows(60, from: 2001, lane: MachineScript.otherLane, isAgents: true))
        #expect(script.machine.hasWork(MachineScript.otherLane, now: script.now))
        #expect(script.take(5000, lane: MachineScript.otherLane).count == 60)
        script.turn(owned: try rows(60, from: 3001, lane: MachineScript.lane, isAgents: true))
        #expect(script.machine.hasWork(MachineScript.lane, now: script.now))
        #expect(script.take(5000).count == 40)
        #expect(!script.machine.hasWork(MachineScript.lane, now: script.now))
        script.now = script.now.adding(milliseconds: 20)
        #expect(script.take(5000).count == 20)
        #expect(script.machine.lanesWithWork(now: script.now.adding(milliseconds: 200)) == [MachineScript.lane])
        // A lane of another group, or of none, is not affected.
        script.machine.setQuota(nil, of: MachineScript.lane)
        #expect(script.take(5000).count == 300)
    }
}
