import Delivery
import GatewayModel

/// Compares each value type of the state machine with an independent model of it, on random calls.
///
/// Cases that a run of the whole state machine meets once in thousands of seeds, such as two equal times, occur here in
/// every seed.
struct PartChecks {
    var random: SplitMix64
    /// Whether a part receives other inputs than its model.
    let isDistorted: Bool
    /// The wall clock of the part under test.
    var now = Timestamp(milliseconds: SimulatedWorld.start)
    var ids = MessageIDGenerator(randomPart: 0)

    init(seed: SimulationSeed, isDistorted: Bool) {
        // Another sequence than that of the run.
        random = SplitMix64(seed: ~seed.rawValue)
        self.isDistorted = isDistorted
    }

    mutating func checkAll() throws(Violation) {
        try checkQueue()
        try checkRoom()
        try checkRowsPerEvent()
        try checkLanePause()
        try checkUnsentWait()
        try checkPlatformBreaker()
        try checkPushPace()
        try checkQuotaBucket()
        try checkQuietSpan()
        try checkStoreHealth()
        try checkSplitTurn()
        try checkPresence()
        try checkInvalidationGuard()
    }

    func agree<Value: Equatable>(_ part: String, _ seen: Value, _ expected: Value) throws(Violation) {
        guard seen != expected else { return }
        throw Violation(invariant: .partsAgree, detail: "\(part) is \(seen), in its model \(expected)")
    }

    /// Lets time pass, mostly in steps that meet the parts' limits exactly; sometimes the clock is set back.
    mutating func pass(upTo seconds: Int) {
        switch random.below(20) {
        case 0..<8: now = now.adding(seconds: Int64(random.below(seconds + 1)))
        case 8..<13: now = now.adding(milliseconds: Int64(random.below(1_000)))
        case 13: now = now.adding(milliseconds: -Int64(random.below(2_000)))
        default: break
        }
    }
}
