import Delivery
import GatewayModel

extension PartChecks {
    /// Checks that a campaign gets what its pace allows, in pieces, and saves up no more than 80 ms of it or one push.
    mutating func checkPushPace() throws(Violation) {
        let perSecond = Int64([1, 3, 7, 30, 400, 1_500, 9_000, 70_000][random.below(8)])
        let most = Double(max(perSecond * 80, 1000))
        let piece = max(perSecond / 125, 64)
        let least = Double(max(min(piece * 1000, perSecond * 20), 1000))
        var pace = PushPace(perSecond: perSecond, now: now)
        var (held, filledAt) = (most, now)
        for _ in 0..<40 {
            pass(upTo: 2)
            let millisecondsLeft = Int64(((least - held) / Double(perSecond)).rounded(.up))
            let isWaiting = least > held && filledAt <= now
            let next = isWaiting ? filledAt.adding(milliseconds: millisecondsLeft) : now
            try agree("when a campaign continues", pace.nextPush(perSecond: perSecond, now: now), next)
            pace.fill(perSecond: perSecond, now: now)
            let passed = Double(now.milliseconds - filledAt.milliseconds)
            if passed > 0 { held = min(held + passed * Double(perSecond), most) }
            filledAt = now
            let pushes = pace.pushes(perSecond: perSecond)
            let half = Int((held / 1000).rounded(.down) / 2 + 0.5)
            try agree("a campaign's pushes", pushes, min(Int(held) / 1000, max(Int(piece), half)))
            let count = random.below(pushes + 1)
            pace.take(count)
            held -= Double(count) * 1000
        }
    }

    /// Checks a bucket of one second's pushes, whose rate rises by a sixtieth of the difference after a second that
    /// uses half of it.
    mutating func checkQuotaBucket() throws(Violation) {
        let perMinute = Int64([1, 100, 1_220, 60_000, 600_000][random.below(5)])
        let full = perMinute < 61 ? 1 : perMinute / 61
        let least = full < 1000 ? full : 1000
        let step = full - least < 60 ? 1 : (full - least) / 60
        var bucket = QuotaBucket(perMinute: perMinute, now: now)
        var (rate, held, used) = (least, least * 1000, Int64(0))
        var (filledAt, began) = (now, now)
        for _ in 0..<60 {
            pass(upTo: random.chance(10) ? 900 : 2)
            bucket.fill(now: now)
            let passed = now.milliseconds - filledAt.milliseconds
            if passed > 0 { held = min(held + passed * rate, rate * 1000) }
            filledAt = now
            let sinceBegin = now.milliseconds - began.milliseconds
            if sinceBegin >= 1000 {
                rate += used * 2 >= rate ? step : -step
                // Each whole second after the first one was idle.
                rate = min(max(rate - (sinceBegin / 1000 - 1) * step, least), full)
                held = min(held, rate * 1000)
            }
            if sinceBegin < 0 || sinceBegin >= 1000 { (used, began) = (0, now) }
            try agree("the quota's rate", bucket.rate, rate)
            // Half of it, so that the condition for a higher rate is met exactly.
            for _ in 0..<[0, 1, Int(rate / 2), Int(rate + 1) / 2, Int(rate)][random.below(5)]
            where bucket.admits(.agent) {
                bucket.take()
                held -= 1000
                used += 1
            }
            for pushClass in [PushClass.agent, .proactive] {
                let reserve = pushClass == .proactive && rate >= 20 ? rate * 100 : 0
                try agree("whether the quota admits", bucket.admits(pushClass), held >= reserve + 1000)
                let missing = max(reserve + 1000 - held, 0)
                let wait = max((missing + rate - 1) / rate + 19, 1)
                try agree("when the quota admits", bucket.next(for: pushClass), filledAt.adding(milliseconds: wait))
            }
        }
    }
}
