import DequeModule
package import GatewayModel
package import GatewayStorage

/// Decides whether a lane believes its provider when it reports devices as gone: a value type without a clock.
///
/// A device that is reported as gone is stopped at once and ends some minutes later. When there are too many within
/// that time, the provider or the lane's configuration is probably wrong: the lane is suspended, and sends one push at
/// a time as a probe. When one is accepted, the stopped devices are put back.
package struct InvalidationGuard: Sendable {
    /// The state of the guard.
    package enum Phase: Sendable, Equatable {
        /// Devices end when their wait is over.
        case believing
        /// Nothing leaves before this moment, then one push at a time; no device ends.
        case suspended(until: Timestamp)
        /// Those that were stopped by this moment are put back; no device ends.
        case puttingBack(stoppedBy: Timestamp)
    }

    /// Work on stopped devices.
    package enum Work: Sendable, Equatable {
        /// Those that were stopped by this moment end.
        case end(stoppedBy: Timestamp)
        /// One of them is put back to send a push as a probe; nothing else of the lane waits.
        case putOneBack
        /// Those that were stopped by this moment are put back.
        case putBack(stoppedBy: Timestamp)
    }

    /// The waits before each probe, in seconds; the last one repeats.
    static let probeWaitSeconds: [Int64] = [1, 2, 5]
    /// The time that put-back devices are remembered, in seconds: longer than the retries of what was sent to them.
    static let rememberedSeconds: Int64 = 3600
    /// The most put-back devices that are remembered; about 5 MB.
    static let mostRemembered = 100_000

    /// The state.
    package private(set) var phase = Phase.believing
    /// The push that is the probe.
    package var probe: DeliveryID?
    /// The stored phase: whether the next start finds the lane suspended.
    package var isStoredSuspended = false
    /// The time at which the oldest of the stopped devices was stopped; sometimes a little too early.
    private(set) var oldest: Timestamp?
    private var probes = 0
    /// The time at which a device may be put back for a probe; nil when at once.
    private var nextPutBack: Timestamp?
    /// Results of pushes that left before this time are from when the provider was not believed.
    private var resumedAt: Timestamp?
    /// Numbers of devices that were stopped recently, by time.
    private var recent: Deque<StoppedCount> = []
    private var recentCount = 0
    /// Devices that were put back.
    private var restored: Set<RegistrationID> = []
    private var restoredAt: Timestamp?
    /// Pushes that were accepted since the first of those was put back: to put-back devices, and to others.
    private var acceptedOfRestored = 0
    private var acceptedOfOthers = 0

    /// Creates a guard without stopped devices.
    package init() {}

    /// Continues where the earlier process ended.
    ///
    /// The lane is suspended also when more stopped devices are found than are believed, even if the earlier process
    /// could not store the suspension.
    package init(_ start: StoppedAtStart, now: Timestamp, _ settings: InvalidationSettings) {
        isStoredSuspended = start.isSuspended
        if start.isSuspended { phase = .suspended(until: now) }
        for count in start.counts {
            _ = note(count.count - count.imported, of: start.devices, at: count.at, settings)
        }
        if case .suspended = phase { phase = .suspended(until: now) }
        oldest = start.counts.first?.at
    }

    /// Whether the lane is suspended.
    package var isSuspended: Bool { if case .suspended = phase { true } else { false } }

    /// Whether there is no work and nothing to remember in the store.
    package var isIdle: Bool { phase == .believing && oldest == nil && !isStoredSuspended }

    /// The time until which nothing may leave; in the past while probes leave, nil when not suspended.
    var until: Timestamp? { if case .suspended(let until) = phase { until } else { nil } }

    /// Returns whether only one push at a time may leave; false when it is not suspended, and until its wait is over.
    package func isProbing(now: Timestamp) -> Bool { until.map { $0 <= now } ?? false }

    // MARK: Stopped devices

    /// Counts devices that a commit has stopped, with the time of its turn, which the store records for them; imported
    /// ones of which it is no surprise are not counted.
    ///
    /// - Returns: The number of devices that were reported as gone recently, if the lane is suspended now because of
    ///   them.
    package mutating func stopped(
        _ stopped: StoppedDevices,
        uncounted: Set<RegistrationID> = [],
        at time: Timestamp,
        now: Timestamp,
        _ settings: InvalidationSettings
    ) -> Int? {
        if let restoredAt, now.milliseconds - restoredAt.milliseconds > Self.rememberedSeconds * 1000 {
            restored = []
            self.restoredAt = nil
        }
        let believesRestored = believesRestored(settings)
        let count = stopped.registrations.count {
            !uncounted.contains($0) && !(believesRestored && restored.contains($0))
        }
        oldest = oldest.map { min($0, time) } ?? time
        guard note(count, of: stopped.devices, at: time, settings) else { return nil }
        suspend(now: now)
        return recentCount
    }

    /// Returns whether put-back devices that are reported as gone again are really gone.
    ///
    /// They are when the provider accepts pushes to other devices and none to any of them: otherwise a lane with many
    /// dead tokens would be suspended again and again. A single accepted push to one of them shows that the provider
    /// was wrong.
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

    /// Returns whether a provider that reports a device as gone is believed; false when the push left before the
    /// provider had recovered.
    package func believes(pushOf takenAt: Timestamp, now: Timestamp, _ settings: InvalidationSettings) -> Bool {
        guard let resumedAt, now < resumedAt.adding(seconds: settings.waitSeconds) else { return true }
        return takenAt >= resumedAt
    }

    // MARK: Results

    /// Takes the result of a push; returns whether this ends the suspension of the lane.
    package mutating func recordResponse(
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

    /// Resets the wait because the lane has another credential, which is tried at once.
    package mutating func reset(now: Timestamp) {
        guard isSuspended else { return }
        probes = 0
        suspend(now: now)
        phase = .suspended(until: now)
    }

    // MARK: Work

    /// Returns the work that is due now, if any; no device ends (`mayEnd`) while the clock may be wrong.
    ///
    /// If `hasWork`, the lane has a push that can be the probe.
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

    /// Returns when ``work(now:hasWork:mayEnd:_:)`` is due without any call; nil when there is nothing to do.
    package func nextDeadline(hasWork: Bool, mayEnd: Bool, _ settings: InvalidationSettings) -> Timestamp? {
        switch phase {
        case .believing: mayEnd ? oldest?.adding(seconds: settings.waitSeconds) : nil
        case .suspended(let until):
            oldest != nil && probe == nil && !hasWork ? max(until, nextPutBack ?? until) : nil
        case .puttingBack(let stoppedBy): stoppedBy
        }
    }

    /// Takes the result of a commit that ended devices.
    package mutating func ended(_ result: StoppedDeviceResult) { oldest = result.oldest }

    /// Takes the result of a commit that put devices back.
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
            // The device may have nothing to send; then another is put back.
            nextPutBack = now.adding(seconds: Self.probeWaitSeconds.last ?? 5)
        case .puttingBack: if result.registrations.count < request.limit { phase = .believing }
        }
    }
}
