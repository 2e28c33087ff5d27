/// Decides when a pool dials and when it has ended.
///
/// One connection takes requests at a time, others may be draining.
///
/// A pure value: time comes in as nanoseconds of a monotonic clock, effects go out as actions.
struct ConnectionPoolMachine {
    /// What happened.
    enum Event: Equatable {
        /// The source has something.
        case wanted
        /// The source has nothing more.
        case satisfied
        case ready(id: UInt64)
        case draining(id: UInt64, isProductive: Bool)
        case ended(id: UInt64, isProductive: Bool)
        /// A timer fired, perhaps early or late.
        case tick
        case shutdown(deadline: UInt64)
    }

    /// What to do.
    enum Action: Equatable {
        case dial(id: UInt64)
        /// Let the connection pull.
        case wake(id: UInt64)
        case shutDown(id: UInt64, deadline: UInt64)
        /// The pool has ended.
        case finished
    }

    private enum Current: Equatable {
        case none
        case dialing(UInt64)
        case ready(UInt64)
    }

    private let backoff: DialBackoff
    private var random: SplitMix
    private var current = Current.none
    private var draining: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private var failures = 0
    private var dialNotBefore: UInt64 = 0
    private var isShutDown = false
    private var isFinished = false
    /// Whether the source may have something.
    private(set) var isWanted = false

    init(backoff: DialBackoff, seed: UInt64) {
        self.backoff = backoff
        random = SplitMix(state: seed)
    }

    mutating func handle(_ event: Event, now: UInt64, into actions: inout [Action]) {
        switch event {
        case .wanted:
            guard !isShutDown else { return }
            isWanted = true
            if case .ready(let id) = current { actions.append(.wake(id: id)) }
        case .satisfied:
            isWanted = false
        case .ready(let id):
            guard current == .dialing(id) else { return }
            current = .ready(id)
            actions.append(.wake(id: id))
        case .draining(let id, let isProductive):
            guard current == .ready(id) else { return }
            current = .none
            draining.insert(id)
            count(isProductive, now)
        case .ended(let id, let isProductive):
            if draining.remove(id) == nil {
                guard current == .dialing(id) || current == .ready(id) else { return }
                current = .none
                count(isProductive, now)
            }
        case .tick:
            break
        case .shutdown(let deadline):
            shutdown(deadline, &actions)
        }
        if isShutDown {
            finishIfEmpty(&actions)
        } else if isWanted, current == .none, now >= dialNotBefore {
            lastID += 1
            current = .dialing(lastID)
            actions.append(.dial(id: lastID))
        }
    }

    /// When `tick` is due next, `UInt64.max` for never.
    var nextDue: UInt64 {
        isWanted && current == .none && !isShutDown ? dialNotBefore : .max
    }

    private mutating func count(_ isProductive: Bool, _ now: UInt64) {
        failures = isProductive ? 0 : failures + 1
        dialNotBefore = now &+ backoff.wait(failures: failures, random: random.next())
    }

    private mutating func shutdown(_ deadline: UInt64, _ actions: inout [Action]) {
        isShutDown = true
        isWanted = false
        switch current {
        case .none: break
        case .dialing(let id), .ready(let id):
            current = .none
            draining.insert(id)
        }
        for id in draining.sorted() { actions.append(.shutDown(id: id, deadline: deadline)) }
    }

    private mutating func finishIfEmpty(_ actions: inout [Action]) {
        guard draining.isEmpty, !isFinished else { return }
        isFinished = true
        actions.append(.finished)
    }
}

/// A small generator that can be seeded, for jitter only (Steele et al., "Fast splittable pseudorandom number generators").
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
