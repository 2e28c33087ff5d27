import DequeModule
package import GatewayModel
package import GatewayStorage

/// Whether a lane believes its provider that devices are gone: a plain value without a clock.
///
/// A device that is called gone is stopped at once and ends some minutes later. When too many are within that time, the
/// provider, or what it is asked with, is more likely wrong than all of them gone: the lane is suspended, and one push at a
/// time finds out. When one is accepted, those that were stopped are put back.
package struct InvalidationGuard: Sendable {
    /// How far it is.
    package enum Phase: Sendable, Equatable {
        /// Devices end when their wait is over.
        case believing
        /// Nothing leaves before this moment, then one push at a time; no device ends.
        case suspended(until: Timestamp)
        /// Those that were stopped by this moment are put back; no device ends.
        case puttingBack(stoppedBy: Timestamp)
    }

    /// What is to be done with stopped devices.
    package enum Work: Sendable, Equatable {
        /// Those that were stopped by this moment end.
        case end(stoppedBy: Timestamp)
        /// One of them makes a push that finds out; nothing else of the lane waits.
        case putOneBack
        /// Those that were stopped by this moment are put back.
        case putBack(stoppedBy: Timestamp)
    }

    /// How long each further wait for a probe is, in seconds; the last one repeats.
    static let probeWaitSeconds: [Int64] = [1, 2, 5]
    /// How long it is remembered which devices were put back, in seconds: longer than what was sent to them is tried again.
    static let rememberedSeconds: Int64 = 3600
    /// More of these are not remembered; about 5 MB.
    static let mostRemembered = 100_000

    /// How far it is.
    package private(set) var phase = Phase.believing
    /// The push that finds out.
    package var probe: DeliveryID?
    /// What is stored of the phase: whether the next start finds the lane suspended.
    package var isStoredSuspended = false
    /// When the first of the devices was stopped that still are; a little early at times.
    private(set) var oldest: Timestamp?
    private var probes = 0
    /// When a device may be put back so that it makes a push; nil when at once.
    private var nextPutBack: Timestamp?
    /// A push that left before this moment was answered by a provider that was not believed.
    private var resumedAt: Timestamp?
    /// Devices that were stopped lately, by the moment.
    private var recent: Deque<StoppedCount> = []
    private var recentCount = 0
    /// Devices that were put back.
    private var restored: Set<RegistrationID> = []
    private var restoredAt: Timestamp?
    /// Pushes that were accepted since the first of those was put back: to them, and to others.
    private var acceptedOfRestored = 0
    private var acceptedOfOthers = 0

    /// Nothing is stopped.
    package init() {}

    /// Goes on where the process before ended.
    ///
    /// It was suspended too when the devices that it found stopped are more than are believed, although it could not store
    /// that any more.
    ///
    /// - Parameters:
    ///   - start: What the store found.
    ///   - now: The wall clock.
    ///   - settings: When devices are believed to be gone.
    package init(_ start: StoppedAtStart, now: Timestamp, _ settings: InvalidationSettings) {
        isStoredSuspended = start.isSuspended
        if start.isSuspended { phase = .suspended(until: now) }
        for count in start.counts { _ = note(count.count, of: start.devices, at: count.at, settings) }
        if case .suspended = phase { phase = .suspended(until: now) }
        oldest = start.counts.first?.at
    }

    /// Whether the lane is suspended.
    package var isSuspended: Bool { if case .suspended = phase { true } else { false } }

    /// Whether there is nothing to do and nothing to remember in the store.
    package var isIdle: Bool { phase == .believing && oldest == nil && !isStoredSuspended }

    /// Until when nothing may leave; in the past while pushes leave one at a time, nil when they do not.
    var until: Timestamp? { if case .suspended(let until) = phase { until } else { nil } }

    /// Whether only one push at a time may leave.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: False when it is not suspended, and until its wait is over.
    package func isProbing(now: Timestamp) -> Bool { until.map { $0 <= now } ?? false }

    // MARK: What is stopped

    /// A commit stopped devices.
    ///
    /// - Parameters:
    ///   - stopped: The devices.
    ///   - time: The time of the commit's turn, which the store has of them.
    ///   - now: The wall clock.
    ///   - settings: When devices are believed to be gone.
    /// - Returns: How many devices were called gone lately, when the lane is suspended since.
    package mutating func stopped(
        _ stopped: StoppedDevices,
        at time: Timestamp,
        now: Timestamp,
        _ settings: InvalidationSettings
    ) -> Int? {
        if let restoredAt, now.milliseconds - restoredAt.milliseconds > Self.rememberedSeconds * 1000 {
            restored = []
            self.restoredAt = nil
        }
        let again = restored.isEmpty ? 0 : stopped.registrations.count(where: restored.contains)
        let count = stopped.registrations.count - (believesRestored(settings) ? again : 0)
        oldest = oldest.map { min($0, time) } ?? time
        guard note(count, of: stopped.devices, at: time, settings) else { return nil }
        suspend(now: now)
        return recentCount
    }

    /// Whether devices that were put back, and are called gone again, are gone.
    ///
    /// They are when the provider accepts pushes to others and none to any of them: else a lane with many dead tokens would be
    /// suspended for them again and again. One that is accepted shows that it was wrong about them.
    private func believesRestored(_ settings: InvalidationSettings) -> Bool {
        acceptedOfRestored == 0 && acceptedOfOthers >= settings.leastDevices
    }

    private mutating func note(
        _ count: Int,
        of devices: Int,
        at time: Timestamp,
        _ settings: InvalidationSettings
    ) -> Bool {
        while let first = recent.first, first.at <= time.adding(seconds: -settings.waitSeconds) {
            recentCount -= first.count
            recent.removeFirst()
        }
        if count > 0 {
            if let last = recent.last, abs(last.at.milliseconds - time.milliseconds) < 1000 {
                recent[recent.count - 1].count += count
            } else {
                recent.append(StoppedCount(at: time, count: count))
            }
            recentCount += count
        }
        guard recentCount > settings.most(of: devices), !isSuspended else { return false }
        probes = 0
        suspend(now: time)
        return true
    }

    private mutating func suspend(now: Timestamp) {
        let seconds = Self.probeWaitSeconds[min(probes, Self.probeWaitSeconds.count - 1)]
        phase = .suspended(until: now.adding(seconds: seconds))
        probe = nil
        nextPutBack = nil
    }

    /// Whether a provider that calls a device gone is believed.
    ///
    /// - Parameters:
    ///   - takenAt: When the push left.
    ///   - now: The wall clock.
    ///   - settings: When devices are believed to be gone.
    /// - Returns: False when its push left before the provider was well again.
    package func believes(pushOf takenAt: Timestamp, now: Timestamp, _ settings: InvalidationSettings) -> Bool {
        guard let resumedAt, now < resumedAt.adding(seconds: settings.waitSeconds) else { return true }
        return takenAt >= resumedAt
    }

    // MARK: Answers

    /// A push was answered.
    ///
    /// - Parameters:
    ///   - isAccepted: Whether the provider took it.
    ///   - registration: Whose push it was.
    ///   - isProbe: Whether it was the push that finds out.
    ///   - now: The wall clock.
    /// - Returns: Whether the lane is no longer suspended since.
    package mutating func answered(
        isAccepted: Bool,
        of registration: RegistrationID,
        isProbe: Bool,
        now: Timestamp
    ) -> Bool {
        if isAccepted, restoredAt != nil {
            if restored.contains(registration) { acceptedOfRestored += 1 } else { acceptedOfOthers += 1 }
        }
        guard isProbe, isSuspended else { return false }
        guard isAccepted else {
            probes += 1
            suspend(now: now)
            return false
        }
        phase = .puttingBack(stoppedBy: now)
        resumedAt = now
        probe = nil
        recent = []
        recentCount = 0
        return true
    }

    /// The lane has another credential: that is tried at once.
    ///
    /// - Parameter now: The wall clock.
    package mutating func reset(now: Timestamp) {
        guard isSuspended else { return }
        probes = 0
        suspend(now: now)
        phase = .suspended(until: now)
    }

    // MARK: Work

    /// What is to be done now.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - hasWork: Whether the lane has a push that may find out.
    ///   - mayEnd: Whether devices end; not while the clock may be wrong.
    ///   - settings: When devices are believed to be gone.
    /// - Returns: Nil when there is nothing to do.
    package func work(now: Timestamp, hasWork: Bool, mayEnd: Bool, _ settings: InvalidationSettings) -> Work? {
        switch phase {
        case .believing:
            guard mayEnd, let oldest else { return nil }
            let stoppedBy = now.adding(seconds: -settings.waitSeconds)
            return oldest <= stoppedBy ? .end(stoppedBy: stoppedBy) : nil
        case .suspended(let until):
            guard oldest != nil, probe == nil, !hasWork, max(until, nextPutBack ?? until) <= now else { return nil }
            return .putOneBack
        case .puttingBack(let stoppedBy): return .putBack(stoppedBy: stoppedBy)
        }
    }

    /// When there is something to do although nobody calls.
    ///
    /// - Parameters:
    ///   - hasWork: Whether the lane has a push that may find out.
    ///   - mayEnd: Whether devices end; not while the clock may be wrong.
    ///   - settings: When devices are believed to be gone.
    /// - Returns: Nil when there is nothing to do.
    package func nextDeadline(hasWork: Bool, mayEnd: Bool, _ settings: InvalidationSettings) -> Timestamp? {
        switch phase {
        case .believing: mayEnd ? oldest?.adding(seconds: settings.waitSeconds) : nil
        case .suspended(let until):
            oldest != nil && probe == nil && !hasWork ? max(until, nextPutBack ?? until) : nil
        case .puttingBack(let stoppedBy): stoppedBy
        }
    }

    /// A commit ended devices.
    ///
    /// - Parameter result: What it did.
    package mutating func ended(_ result: StoppedDeviceResult) { oldest = result.oldest }

    /// A commit put devices back.
    ///
    /// - Parameters:
    ///   - result: What it did.
    ///   - request: What it was asked.
    ///   - now: The wall clock.
    package mutating func putBack(_ result: StoppedDeviceResult, of request: StoppedDeviceRequest, now: Timestamp) {
        oldest = result.oldest
        if restoredAt == nil {
            acceptedOfRestored = 0
            acceptedOfOthers = 0
        }
        restoredAt = now
        if restored.count < Self.mostRemembered { restored.formUnion(result.registrations) }
        switch phase {
        case .believing: break
        case .suspended:
            // It may have nothing to send; then it is another's turn.
            nextPutBack = now.adding(seconds: Self.probeWaitSeconds.last ?? 5)
        case .puttingBack: if result.registrations.count < request.limit { phase = .believing }
        }
    }
}
