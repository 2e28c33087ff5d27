import Delivery
import GatewayModel

extension PartChecks {
    mutating func checkLanePause() throws(Violation) {
        let many = random.between(1, 4)
        var pause = LanePause(manyFaults: many)
        var until: Timestamp?
        var (waits, streak): (Int, [Timestamp]) = (0, [])
        for _ in 0..<80 {
            pass(upTo: 3)
            let asked: Int64? = [nil, nil, 0, 1, 2, 7, 60, 61, 3600][random.below(9)]
            let (isOfLane, isProbe, isGood) = (random.chance(15), random.chance(60), random.chance(30))
            if isGood {
                pause.taken(now: now)
                streak = []
                if until.map({ $0 <= now }) ?? true { (until, waits) = (nil, 0) }
            } else {
                pause.fault(asked: asked, isOfLane: isOfLane, isProbe: isProbe, now: now)
                let isPaused = until != nil
                if let first = streak.first, abs(now.milliseconds - first.milliseconds) >= 1000 { streak = [] }
                if !isPaused { streak.append(now) }
                if isPaused ? isProbe : isOfLane || streak.count >= many {
                    if isPaused { waits += 1 }
                    let least: Int64 = waits == 0 ? 1 : waits == 1 ? 2 : 5
                    let end = now.adding(seconds: min(max(asked ?? 0, least), 60))
                    (until, streak) = (max(until ?? end, end), [])
                } else if isPaused, let asked {
                    until = max(until ?? now, now.adding(seconds: min(asked, 60)))
                }
            }
            try agree("until when the lane pauses", pause.until, until)
            try agree("whether the lane probes", pause.isProbing(now: now), until.map { $0 <= now } ?? false)
            if let until, random.chance(30) { now = until }
        }
    }

    mutating func checkUnsentWait() throws(Violation) {
        var wait = UnsentWait()
        var begun: Timestamp?
        var place = 0
        for _ in 0..<40 {
            pass(upTo: 6)
            if random.chance(15) {
                wait.sent()
                (begun, place) = (nil, 0)
                continue
            }
            let takenAt = random.chance(30) ? begun ?? now : now.adding(milliseconds: -Int64(random.below(5_000)))
            var from = now
            switch begun {
            case let since? where since <= now && takenAt < since: from = since
            case let since? where since <= now: (begun, place) = (now, min(place + 1, 3))
            default: begun = now
            }
            let due = wait.due(takenAt: takenAt, now: now)
            try agree("when what was not sent leaves", due, max(now, from.adding(seconds: [0, 1, 2, 5][place])))
        }
    }

    mutating func checkPlatformBreaker() throws(Violation) {
        var settings = DeliverySettings()
        settings.breakerFirstSeconds = Int64(random.between(1, 9))
        settings.breakerMaxSeconds = [60, 100_000][random.below(2)]
        // Doubled each time, ten times at most.
        var ladder = [settings.breakerFirstSeconds]
        while ladder.count < 11 { ladder.append(ladder[ladder.count - 1] * 2) }
        ladder = ladder.map { $0 < settings.breakerMaxSeconds ? $0 : settings.breakerMaxSeconds }
        var breaker = PlatformBreaker(now: now, settings)
        var until = now.adding(seconds: ladder[0])
        for rejections in 1...14 {
            let next = ladder[rejections < 10 ? rejections : 10]
            for moment in [until.adding(milliseconds: -1), until, until.adding(milliseconds: 1)] {
                let isOver = moment.milliseconds - until.milliseconds >= 0
                breaker.probe = nil
                try agree("the platform's wait", breaker.wait(now: moment, settings), isOver ? nil : until)
                breaker.probe = DeliveryID(1)
                let again = moment.adding(seconds: next < 5 ? next : 5)
                try agree("the wait for a probe", breaker.wait(now: moment, settings), isOver ? again : until)
            }
            pass(upTo: 100)
            breaker.refused(now: now, settings)
            until = now.adding(seconds: next)
            try agree("whether the platform is probed", breaker.probe, nil)
        }
    }
}
