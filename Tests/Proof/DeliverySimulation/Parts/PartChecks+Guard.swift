import Delivery
import GatewayModel
import GatewayStorage

extension PartChecks {
    /// A model of the guard that keeps the history and searches it at each call.
    private struct GuardModel {
        let settings: InvalidationSettings
        var phase = InvalidationGuard.Phase.believing
        /// Counts of stopped devices, in groups of a second.
        var stops: [(at: Timestamp, count: Int)] = []
        var oldest: Timestamp?
        /// The number of probes of this suspension that were not accepted.
        var failed = 0
        var nextPutBack: Timestamp?
        var resumedAt: Timestamp?
        var putBack: (devices: Set<RegistrationID>, at: Timestamp)?
        /// Pushes that were accepted since the first device was put back; true for one to a put-back device.
        var accepted: [Bool] = []
        /// Whether a probe is in flight.
        var isTrying = false

        var until: Timestamp? { if case .suspended(let until) = phase { until } else { nil } }

        /// Counts stopped devices; returns true when too many are stopped now.
        mutating func stop(_ count: Int, of devices: Int, at time: Timestamp) -> Bool {
            let since = time.adding(seconds: -settings.waitSeconds)
            if let first = stops.firstIndex(where: { $0.at > since }) {
                stops.removeFirst(first)
            } else {
                stops = []
            }
            if let last = stops.last, count > 0, abs(last.at.milliseconds - time.milliseconds) < 1000 {
                stops[stops.count - 1].count += count
            } else if count > 0 {
                stops.append((time, count))
            }
            let most = max(settings.leastDevices, devices * settings.percent / 100)
            let isSuspended = until == nil && stops.reduce(0) { $0 + $1.count } > most
            if isSuspended { failed = 0 }
            return isSuspended
        }

        mutating func suspend(at now: Timestamp) {
            phase = .suspended(until: now.adding(seconds: failed == 0 ? 1 : failed == 1 ? 2 : 5))
            nextPutBack = nil
            isTrying = false
        }

        /// Returns the number of devices that count: put-back ones do not, when other devices accept pushes and they do
        /// not.
        func counted(_ devices: [RegistrationID]) -> Int {
            let isGone = !accepted.contains(true) && accepted.count >= settings.leastDevices
            return isGone ? devices.filter { putBack?.devices.contains($0) != true }.count : devices.count
        }
    }

    /// Checks that devices are believed to be gone until there are too many; then one push at a time is a probe, and
    /// all are put back.
    mutating func checkInvalidationGuard() throws(Violation) {
        var settings = InvalidationSettings()
        settings.waitSeconds = Int64(random.between(2, 8))
        settings.leastDevices = random.between(1, 4)
        settings.percent = 50
        var model = GuardModel(settings: settings)
        var watch = start(&model)
        for _ in 0..<60 {
            pass(upTo: random.chance(10) ? 3600 : 6)
            switch random.below(10) {
            case 0..<3: try stop(&watch, &model)
            case 3..<6: try respond(&watch, &model)
            case 6:
                let left = random.chance(50) ? model.oldest : nil
                watch.ended(StoppedDeviceResult(registrations: [], oldest: left))
                model.oldest = left
            case 7, 8: putBack(&watch, &model)
            default:
                watch.reset(now: now)
                guard model.until != nil else { break }
                (model.failed, model.nextPutBack, model.isTrying) = (0, nil, false)
                model.phase = .suspended(until: now)
            }
            if model.until != nil, random.chance(20) { (watch.probe, model.isTrying) = (DeliveryID(1), true) }
            try compare(watch, model)
            if let until = model.until, random.chance(30) { now = until }
            if case .believing = model.phase, let oldest = model.oldest, random.chance(10) {
                now = oldest.adding(seconds: settings.waitSeconds)
            }
        }
    }

    private var devices: [RegistrationID] { (1...6).map { RegistrationID($0) } }

    private mutating func some(_ most: Int) -> [RegistrationID] {
        var found: [RegistrationID] = []
        for device in devices where found.count < most && random.chance(40) { found.append(device) }
        return found
    }

    private mutating func start(_ model: inout GuardModel) -> InvalidationGuard {
        guard random.chance(50) else { return InvalidationGuard() }
        let isSuspended = random.chance(40)
        let count = random.between(0, 8)
        var counts: [StoppedCount] = []
        for place in 0..<count {
            counts.append(StoppedCount(at: now.adding(seconds: Int64(place - count)), count: random.between(1, 2)))
        }
        let found = StoppedAtStart(counts: counts, devices: 6, isSuspended: isSuspended)
        if isSuspended { model.phase = .suspended(until: now) }
        for stopped in counts where model.stop(stopped.count, of: 6, at: stopped.at) {
            model.phase = .suspended(until: now)
        }
        model.oldest = counts.first?.at
        return InvalidationGuard(found, now: now, model.settings)
    }

    private mutating func stop(_ watch: inout InvalidationGuard, _ model: inout GuardModel) throws(Violation) {
        if let putBack = model.putBack, now.milliseconds - putBack.at.milliseconds > 3_600_000 { model.putBack = nil }
        let stopped = StoppedDevices(registrations: some(4), devices: random.between(1, 12))
        let time = random.chance(30) ? now.adding(milliseconds: -1000) : now
        let gone = watch.stopped(stopped, at: time, now: now, model.settings)
        model.oldest = min(model.oldest ?? time, time)
        let isSuspended = model.stop(model.counted(stopped.registrations), of: stopped.devices, at: time)
        if isSuspended { model.suspend(at: now) }
        let expected = isSuspended ? model.stops.reduce(0) { $0 + $1.count } : nil
        try agree("how many suspend the lane", gone, expected)
    }

    private mutating func respond(_ watch: inout InvalidationGuard, _ model: inout GuardModel) throws(Violation) {
        let device = devices[random.below(6)]
        let (isAccepted, isProbe) = (random.chance(50), random.chance(60))
        let isResumed = watch.recordResponse(isAccepted: isAccepted, of: device, isProbe: isProbe, now: now)
        if isAccepted, let putBack = model.putBack { model.accepted.append(putBack.devices.contains(device)) }
        try agree("whether the lane is resumed", isResumed, isAccepted && isProbe && model.until != nil)
        guard isProbe, model.until != nil else { return }
        if isAccepted {
            (model.phase, model.resumedAt, model.stops) = (.puttingBack(stoppedBy: now), now, [])
            model.isTrying = false
        } else {
            model.failed += 1
            model.suspend(at: now)
        }
    }

    private mutating func putBack(_ watch: inout InvalidationGuard, _ model: inout GuardModel) {
        let (limit, found) = (random.between(1, 4), some(4))
        let devices = Array(found.prefix(limit))
        let left = random.chance(50) ? model.oldest : nil
        let request = StoppedDeviceRequest(lane: LaneID(1), stoppedBy: now, limit: limit)
        watch.putBack(StoppedDeviceResult(registrations: devices, oldest: left), of: request, now: now)
        model.oldest = left
        if model.putBack == nil { model.accepted = [] }
        model.putBack = (model.putBack?.devices.union(devices) ?? Set(devices), now)
        switch model.phase {
        case .believing: break
        case .suspended: model.nextPutBack = now.adding(seconds: 5)
        case .puttingBack: if devices.count != limit { model.phase = .believing }
        }
    }

    private func compare(_ watch: InvalidationGuard, _ model: GuardModel) throws(Violation) {
        try agree("the guard's phase", watch.phase, model.phase)
        try agree("whether it is suspended", watch.isSuspended, model.until != nil)
        try agree("whether it probes", watch.isProbing(now: now), model.until.map { $0 <= now } ?? false)
        let isIdle = model.phase == .believing && model.oldest == nil && !watch.isStoredSuspended
        try agree("whether it is idle", watch.isIdle, isIdle)
        for moment in [now, model.resumedAt, model.resumedAt?.adding(milliseconds: -1)].compactMap({ $0 }) {
            let isOver = model.resumedAt.map { now >= $0.adding(seconds: model.settings.waitSeconds) } ?? true
            let isBelieved = isOver || model.resumedAt.map { moment.milliseconds - $0.milliseconds >= 0 } ?? true
            let believes = watch.believes(pushOf: moment, now: now, model.settings)
            try agree("whether a refusal is believed", believes, isBelieved)
        }
        for (hasWork, mayEnd) in [(true, true), (true, false), (false, true), (false, false)] {
            let expected: Timestamp? =
                switch model.phase {
                case .believing where mayEnd: model.oldest?.adding(seconds: model.settings.waitSeconds)
                case .suspended(let until) where model.oldest != nil && !hasWork && !model.isTrying:
                    [until, model.nextPutBack].compactMap { $0 }.max()
                case .puttingBack(let stoppedBy): stoppedBy
                case .believing, .suspended: nil
                }
            let next = watch.nextDeadline(hasWork: hasWork, mayEnd: mayEnd, model.settings)
            try agree("when the guard has work", next, expected)
            for moment in [now, next, next?.adding(milliseconds: -1)].compactMap({ $0 }) {
                let work = watch.work(now: moment, hasWork: hasWork, mayEnd: mayEnd, model.settings)
                let isDue = if case .puttingBack = model.phase { true } else { next.map { $0 <= moment } ?? false }
                try agree("whether the guard has work", work != nil, isDue)
            }
        }
    }
}
