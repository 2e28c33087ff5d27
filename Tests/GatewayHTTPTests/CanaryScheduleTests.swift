import GatewayModel
import Testing

@testable import GatewayHTTP

@Suite("The schedule of canaries")
struct CanaryScheduleTests {
    private static let start = Timestamp(milliseconds: 1_767_323_045_678)

    private static func lane(_ app: Int, brand: String = "acme") -> LaneKey {
        LaneKey(
            brand: BrandID(trusted: brand),
            app: AppID(trusted: "app-\(app)"),
            pushType: .apns,
            environment: .production
        )
    }

    private static func setting(
        _ token: String = "aabb",
        expectReceipt: Bool? = nil,
        putAt: Timestamp = start
    ) -> CanarySchedule.Setting {
        CanarySchedule.Setting(
            canary: CanarySettings(token: token, pushType: .apns, everySeconds: 3600, expectReceipt: expectReceipt),
            appUpdatedAt: putAt
        )
    }

    private static func after(_ seconds: Int64) -> Timestamp { start.adding(seconds: seconds) }

    private static func result(_ outcome: String) -> SelfCheck.Result {
        SelfCheck.Result(outcome: outcome, verdict: "A verdict.", response: nil)
    }

    /// A schedule that has started, with canaries that were set afterwards.
    private static func schedule(_ settings: [LaneKey: CanarySchedule.Setting]) -> CanarySchedule {
        var schedule = CanarySchedule()
        schedule.update([:], now: start)
        schedule.update(settings, now: start)
        return schedule
    }

    /// Takes what is due at a time and has room.
    private static func take(_ schedule: inout CanarySchedule, at seconds: Int64) -> [CanarySchedule.Attempt] {
        let due = schedule.due(now: after(seconds))
        return schedule.take(due, open: Set(due), now: after(seconds))
    }

    @Test("at the start a canary waits for a part of its interval; one that is set later is due at once")
    func beginning() {
        var schedule = CanarySchedule()
        schedule.update([Self.lane(1): Self.setting()], now: Self.start) { range in
            #expect(range == 0..<3600)
            return 1000
        }
        #expect(schedule.due(now: Self.after(999)).isEmpty)
        let settings = [Self.lane(1): Self.setting(), Self.lane(2): Self.setting()]
        schedule.update(settings, now: Self.after(10)) { _ in 3599 }
        #expect(schedule.due(now: Self.after(10)) == [Self.lane(2)])
        #expect(schedule.due(now: Self.after(1000)) == [Self.lane(2), Self.lane(1)])
        #expect(schedule[Self.lane(1)]?.condition == .waiting)
    }

    @Test("a few pushes leave at a time, of a brand fewer; the others keep their turn")
    func limits() throws {
        var settings: [LaneKey: CanarySchedule.Setting] = [:]
        for app in 1...5 { settings[Self.lane(app)] = Self.setting() }
        for brand in 1...8 { settings[Self.lane(1, brand: "brand-\(brand)")] = Self.setting() }
        var schedule = Self.schedule(settings)
        let first = Self.take(&schedule, at: 0)
        #expect(first.count == CanarySchedule.limit)
        #expect(first.count { $0.lane.brand.rawValue == "acme" } == CanarySchedule.brandLimit)
        #expect(Self.take(&schedule, at: 5).isEmpty)
        // Those that were changed meanwhile still use their room.
        let changed = settings.mapValues { _ in Self.setting("ccdd") }
        schedule.update(changed, now: Self.after(5))
        #expect(Self.take(&schedule, at: 5).isEmpty)
        for attempt in first { schedule.finished(attempt, Self.result("accepted"), now: Self.after(6)) }
        // Their verdicts are not those of the changed ones.
        #expect(schedule.all.allSatisfy { $0.status.condition == .waiting })
        var count = 0
        for second in Int64(6)...20 {
            for attempt in Self.take(&schedule, at: second) {
                count += 1
                schedule.finished(attempt, Self.result("accepted"), now: Self.after(second))
            }
        }
        #expect(count == 13 && schedule.all.allSatisfy { $0.status.condition == .accepted })
        #expect(Self.take(&schedule, at: 3605).isEmpty && !Self.take(&schedule, at: 3620).isEmpty)
    }

    @Test("a lane that sends nothing holds its canary, takes no room, and is asked again after a minute")
    func held() {
        let lane = Self.lane(1)
        var schedule = Self.schedule([lane: Self.setting()])
        #expect(schedule.take([lane], open: [], now: Self.start).isEmpty)
        #expect(schedule[lane]?.condition == .held)
        #expect(schedule.due(now: Self.after(59)).isEmpty && schedule.due(now: Self.after(60)) == [lane])
        let attempt = Self.take(&schedule, at: 60)
        schedule.finished(attempt[0], nil, now: Self.after(61))
        #expect(schedule[lane]?.condition == .held && schedule[lane]?.attemptedAt == nil)
        #expect(schedule.due(now: Self.after(120)).isEmpty && schedule.due(now: Self.after(121)) == [lane])
    }

    @Test(
        "a verdict is a condition; only a device that is gone ends the pushes",
        arguments: [
            ("accepted", .accepted), ("unregistered", .gone), ("retry", .failing), ("rejected", .failing),
            ("misconfigured", .failing), ("unknown", .failing), ("notSent", .failing), ("unreachable", .failing),
            ("timeout", .failing),
        ] as [(String, CanaryStatus.Condition)]
    )
    func verdicts(outcome: String, condition: CanaryStatus.Condition) {
        let lane = Self.lane(1)
        var schedule = Self.schedule([lane: Self.setting()])
        let attempt = Self.take(&schedule, at: 0)
        schedule.finished(attempt[0], Self.result(outcome), now: Self.after(1))
        #expect(schedule[lane]?.condition == condition)
        #expect(schedule[lane]?.acceptedAt == (condition == .accepted ? Self.start : nil))
        #expect(schedule.due(now: Self.after(3599)).isEmpty)
        #expect(schedule.due(now: Self.after(3600)).isEmpty == (condition == .gone))
        // The app was put, perhaps with another credential.
        schedule.update([lane: Self.setting(putAt: Self.after(10))], now: Self.after(10))
        #expect(schedule.due(now: Self.after(10)).isEmpty == (condition != .failing))
        #expect(schedule[lane]?.condition == condition)
        schedule.update([lane: Self.setting("ccdd", putAt: Self.after(11))], now: Self.after(11))
        #expect(schedule.due(now: Self.after(11)) == [lane] && schedule[lane]?.condition == .waiting)
    }

    @Test("a receipt that is expected is missed after a quarter of an hour, once, until one comes")
    func receipts() throws {
        let lane = Self.lane(1)
        let setting = Self.setting(expectReceipt: true)
        var schedule = Self.schedule([lane: setting])
        let first = try #require(Self.take(&schedule, at: 0).first)
        schedule.finished(first, Self.result("accepted"), now: Self.after(1))
        #expect(schedule.noteMissingReceipts(now: Self.after(899)).isEmpty)
        #expect(schedule.noteMissingReceipts(now: Self.after(900)) == [lane])
        #expect(schedule.noteMissingReceipts(now: Self.after(905)).isEmpty)
        #expect(schedule[lane]?.condition == .noReceipt)
        // The next push alone does not end it.
        let second = try #require(Self.take(&schedule, at: 3600).first)
        schedule.finished(second, Self.result("accepted"), now: Self.after(3601))
        #expect(schedule[lane]?.condition == .noReceipt)
        #expect(schedule.received([first.message], brand: lane.brand, now: Self.after(3602)) == [false])
        #expect(
            schedule.received([second.message], brand: BrandID(trusted: "other"), now: Self.after(3602)) == [false]
        )
        #expect(schedule.received([second.message], brand: lane.brand, now: Self.after(3603)) == [true])
        #expect(schedule[lane]?.condition == .accepted && schedule[lane]?.receivedAt == Self.after(3603))
        #expect(schedule.noteMissingReceipts(now: Self.after(7000)).isEmpty)
        // A receipt may come before the verdict; what was not accepted is not awaited.
        let third = try #require(Self.take(&schedule, at: 7200).first)
        #expect(schedule.received([third.message], brand: lane.brand, now: Self.after(7201)) == [true])
        schedule.finished(third, Self.result("accepted"), now: Self.after(7202))
        let fourth = try #require(Self.take(&schedule, at: 10_800).first)
        schedule.finished(fourth, Self.result("retry"), now: Self.after(10_801))
        #expect(schedule.noteMissingReceipts(now: Self.after(20_000)).isEmpty)
        #expect(schedule.received([fourth.message], brand: lane.brand, now: Self.after(20_000)) == [false])
        // A canary that is removed awaits nothing.
        let fifth = try #require(Self.take(&schedule, at: 14_400).first)
        schedule.update([:], now: Self.after(14_401))
        #expect(schedule.received([fifth.message], brand: lane.brand, now: Self.after(14_402)) == [false])
        schedule.finished(fifth, Self.result("accepted"), now: Self.after(14_403))
        #expect(schedule.all.isEmpty)
    }
}
