/// The state machine of a pool: when it dials, when it has more connections than it needs, and when it has ended.
///
/// A pure value: time comes in as nanoseconds of a monotonic clock, effects go out as actions.
///
/// The usual bottleneck is payload times round trip and not the processor: a connection starts with a send window of
/// 65,535 bytes and some hundred streams (Architecture page, HTTP/2 and TLS). So the pool grows while all of its
/// connections are blocked by their windows or streams and the loop is not busy, and doubles each time, so that a
/// distant provider is used at full rate within a few round trips. A peer that lowers its stream limit wants less load,
/// and gets no further connection.
struct ConnectionPoolMachine {
    /// An input of the state machine.
    enum Event: Equatable {
        /// The source may have requests.
        case wanted
        /// The source has no more requests.
        case satisfied
        case ready(id: UInt64)
        /// A connection's streams or send window are used up; with false, they no longer are.
        case heldBack(id: UInt64, Bool)
        /// The peer lowered a connection's stream limit; with false, it raised it again.
        case limitCut(id: UInt64, Bool)
        /// A connection reached its age limit and is to be replaced.
        case aged(id: UInt64)
        case draining(id: UInt64, worth: ConnectionWorth)
        case ended(id: UInt64, worth: ConnectionWorth)
        /// The budget has no slot for the connection.
        case denied(id: UInt64)
        /// Another pool has no connection, and the budget has no slot for one.
        case askedBack
        /// A timer fired, perhaps early or late; whether the loop was busy since `growthDue` was set.
        case tick(isLoopBusy: Bool)
        case shutdown(deadline: UInt64)
    }

    /// An action for the core.
    enum Action: Equatable {
        /// Open a connection: there is none, or none below the age limit.
        case dial(id: UInt64)
        /// Open a further connection, because the others are blocked.
        case dialFurther(id: UInt64)
        /// Let the connection pull.
        case wake(id: UInt64)
        /// Let its streams finish, then end it.
        case retire(id: UInt64, HTTP2DrainReason)
        case shutDown(id: UInt64, deadline: UInt64)
        /// The pool has ended.
        case finished
    }

    /// Times in nanoseconds, and numbers.
    struct Limits {
        /// The most connections that take requests or are being dialled; at least 1.
        var connections: Int
        /// The time for which all must have been blocked before the pool grows.
        var growthDelay: UInt64
        /// The time for which not all were blocked before it shrinks by one.
        var shrinkDelay: UInt64
        /// The time for which the pool does not grow after a peer lowered its stream limit, or when the budget has no
        /// slot.
        var growthPause: UInt64
    }

    private enum Phase: Equatable {
        case dialing
        case ready(isHeldBack: Bool)
        case draining
    }

    private let backoff: DialBackoff
    private let limits: Limits
    private var random: SplitMix
    /// The connections by number; few.
    private var connections: [UInt64: Phase] = [:]
    /// The times until which connections with a lowered stream limit keep the pool from growing.
    private var cuts: [UInt64: UInt64] = [:]
    /// Connections above the age limit; they take requests until another is ready.
    private var aged: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private var failures = 0
    private var dialNotBefore: UInt64 = 0
    /// The time until which the budget is assumed to have no slot for further connections.
    private var growthNotBefore: UInt64 = 0
    private var isShutDown = false
    private var isFinished = false
    /// The time when the pool may grow, unless a connection has room by then; nil while one has, or while one is being
    /// dialled.
    private(set) var growthDue: UInt64?
    /// The time when all connections were last blocked, or the pool last shrank.
    private var neededAt: UInt64 = 0
    /// Whether the source may have requests.
    private(set) var isWanted = false

    init(backoff: DialBackoff, limits: Limits, seed: UInt64) {
        self.backoff = backoff
        self.limits = limits
        random = SplitMix(state: seed)
    }

    mutating func handle(_ event: Event, now: UInt64, into actions: inout [Action]) {
        switch event {
        case .wanted:
            guard !isShutDown else { return }
            isWanted = true
            for id in ready { actions.append(.wake(id: id)) }
        case .satisfied:
            isWanted = false
        case .ready(let id):
            guard connections[id] == .dialing else { return }
            connections[id] = .ready(isHeldBack: false)
            neededAt = now
            actions.append(.wake(id: id))
            retireAged(&actions)
        case .heldBack(let id, let isHeldBack):
            guard case .ready = connections[id] else { return }
            connections[id] = .ready(isHeldBack: isHeldBack)
        case .limitCut(let id, let isCut):
            guard case .ready = connections[id] else { return }
            setCut(id, until: isCut ? now &+ limits.growthPause : nil)
        case .aged(let id):
            guard case .ready = connections[id] else { return }
            aged.insert(id)
            if connections.contains(where: { !aged.contains($0.key) && $0.value == .ready(isHeldBack: false) }) {
                retireAged(&actions)
            }
        case .draining(let id, let worth):
            guard case .ready = connections[id] else { return }
            connections[id] = .draining
            forget(id)
            count(worth, now)
        case .ended(let id, let worth):
            guard let phase = connections.removeValue(forKey: id) else { return }
            forget(id)
            if phase != .draining { count(worth, now) }
        case .denied(let id):
            guard connections[id] == .dialing else { return }
            connections[id] = nil
            denied(now)
        case .askedBack:
            guard ready.count > 1 else { return }
            growthNotBefore = now &+ limits.growthPause
            growthDue = nil
            retireYoungest(&actions)
        case .tick(let isLoopBusy):
            grow(isLoopBusy, now, &actions)
            shrink(now, &actions)
        case .shutdown(let deadline):
            shutdown(deadline, &actions)
        }
        if isShutDown { return finishIfEmpty(&actions) }
        while isDialNeeded, now >= dialNotBefore { actions.append(.dial(id: nextDial())) }
        watchGrowth(now)
    }

    /// The time of the next `tick`, `UInt64.max` for never.
    var nextDue: UInt64 {
        guard !isShutDown else { return .max }
        let dial = isDialNeeded ? dialNotBefore : .max
        return min(dial, min(growthDue ?? .max, shrinkDue ?? .max))
    }

    /// Connections that take requests, oldest first.
    var ready: [UInt64] {
        connections.compactMap { id, phase in if case .ready = phase { id } else { nil } }.sorted()
    }

    private var isDialNeeded: Bool { usable == 0 ? isWanted : aged.count > dialing }

    private var usable: Int { connections.values.count { $0 != .draining } }

    private var dialing: Int { connections.values.count { $0 == .dialing } }

    private var isAllHeldBack: Bool {
        usable > 0 && connections.values.allSatisfy { $0 == .draining || $0 == .ready(isHeldBack: true) }
    }

    private var shrinkDue: UInt64? {
        usable > 1 ? neededAt &+ limits.shrinkDelay : nil
    }

    // MARK: - Growing and shrinking

    private mutating func watchGrowth(_ now: UInt64) {
        guard isAllHeldBack else {
            // A window opens a little with each response. Only a connection that still has room at `growthDue` shows
            // that there are enough.
            if dialing > 0 || !isWanted || usable == 0 { growthDue = nil }
            return
        }
        neededAt = now
        guard isWanted, usable < limits.connections, growthDue == nil else { return }
        growthDue = max(now &+ limits.growthDelay, dialNotBefore, growthNotBefore, cuts.values.max() ?? 0)
    }

    private mutating func setCut(_ id: UInt64, until end: UInt64?) {
        guard cuts[id] != end else { return }
        cuts[id] = end
        // Computed again.
        growthDue = nil
    }

    private mutating func grow(_ isLoopBusy: Bool, _ now: UInt64, _ actions: inout [Action]) {
        guard let due = growthDue, now >= due else { return }
        growthDue = nil
        guard isWanted, isAllHeldBack, !isLoopBusy else { return }
        for _ in 0..<max(0, min(usable, limits.connections - usable)) {
            actions.append(.dialFurther(id: nextDial()))
        }
    }

    private mutating func shrink(_ now: UInt64, _ actions: inout [Action]) {
        guard let due = shrinkDue, now >= due else { return }
        neededAt = now
        if !isAllHeldBack, dialing == 0 { retireYoungest(&actions) }
    }

    private mutating func retireYoungest(_ actions: inout [Action]) {
        guard let youngest = ready.last else { return }
        connections[youngest] = .draining
        forget(youngest)
        actions.append(.retire(id: youngest, .spare))
    }

    /// Retires the oldest aged connection, now that another takes requests.
    private mutating func retireAged(_ actions: inout [Action]) {
        guard let oldest = aged.min() else { return }
        aged.remove(oldest)
        actions.append(.retire(id: oldest, .age))
    }

    /// Removes the records of a connection that takes no more requests.
    private mutating func forget(_ id: UInt64) {
        aged.remove(id)
        setCut(id, until: nil)
    }

    private mutating func nextDial() -> UInt64 {
        lastID += 1
        connections[lastID] = .dialing
        return lastID
    }

    /// Schedules the next try for a slot.
    ///
    /// The budget does not notify of free slots, so it is polled: soon if the pool
    /// has no connection.
    private mutating func denied(_ now: UInt64) {
        if isDialNeeded {
            dialNotBefore = max(dialNotBefore, now &+ backoff.wait(failures: 1, isSilent: false, random: random.next()))
        } else {
            growthNotBefore = now &+ limits.growthPause
        }
    }

    private mutating func count(_ worth: ConnectionWorth, _ now: UInt64) {
        failures = worth == .served ? 0 : failures + 1
        dialNotBefore = now &+ backoff.wait(failures: failures, isSilent: worth == .silent, random: random.next())
    }

    // MARK: - The end

    private mutating func shutdown(_ deadline: UInt64, _ actions: inout [Action]) {
        isShutDown = true
        isWanted = false
        growthDue = nil
        aged = []
        for id in connections.keys.sorted() {
            connections[id] = .draining
            actions.append(.shutDown(id: id, deadline: deadline))
        }
    }

    private mutating func finishIfEmpty(_ actions: inout [Action]) {
        guard connections.isEmpty, !isFinished else { return }
        isFinished = true
        actions.append(.finished)
    }
}

/// A small generator that can be seeded, for jitter only (Steele et al., "Fast splittable pseudorandom number
/// generators").
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
