import Delivery
import GatewayModel
import PushProviders

/// The parameters that one seed draws before its run: sizes, and how often each event happens.
///
/// Runs differ in kind and not only in order: one has no crash, another has hardly anything else.
struct SimulationPlan: Sendable {
    /// A kind of event.
    enum Event: Int, CaseIterable {
        case post, change, beginCommit, applyCommit, deliverCommit, take, respond, stick
        case openWindow, closeWindow, acknowledge
        case crash, drain, jump, removeLane, resetLane, changeRules, wait
        case changePresence, runHousekeeping, see, doubtClock, flood, lackRoom, damage
        case delete, lookForStale
    }

    var settings = DeliverySettings()
    var steps: Int
    var consumers: Int
    var devices: Int
    /// Out of 100 commits.
    var failingCommits: Int
    /// Out of 100 commits.
    var poisonedCommits: Int
    /// Out of 100 push results.
    var badResponses: Int
    /// Out of 100 messages.
    var collapsing: Int
    var shortLived: Int
    /// Whether a window holds only for its own device.
    var isPerDevice: Bool
    /// The rules of the brand for all lanes, and those that it changes to.
    var rules: [BrandSettings]
    /// The faster one of the paces of campaigns; nil when they sometimes have none.
    var pace: Int64? {
        let paces = rules.compactMap(\.campaignRatePerSecond)
        return paces.count == rules.count ? paces.max() : nil
    }
    /// Whether nothing but time and providers ever holds up a push.
    var isPlain: Bool { !hasOwnHours && rules.allSatisfy { $0.quietHours == nil && $0.summaryThreshold == nil } }
    /// The cumulative sums of the events' weights.
    private var sums: [Int] = []
    /// The steps during which most pushes have the same result; nil for none.
    var episode: Episode?
    /// Whether time passes in whole seconds, so that times coincide.
    var isCoarse: Bool
    /// Whether hours pass at times.
    var isLong: Bool
    /// Whether consumers have quiet hours of their own, and devices time zones.
    var hasOwnHours: Bool
    /// Whether some registrations are imported from another service.
    var hasImports: Bool
    /// The shared quota of the providers of the first two lanes; nil sets no limit.
    var quota: PushQuota?
    /// The pace that an operator has set for the first lane, in pushes a second; nil sets no limit.
    var lanePace: Int64?

    /// A period in which something is wrong with a provider, or with the lane's configuration.
    struct Episode: Sendable {
        /// The kind of fault.
        enum Fault: CaseIterable {
            case deadDevices, refusedCredential, refusedTokens, refusedPlatform
            case overload, passingFaults, resends, unsent, silence
        }

        var fault: Fault
        var steps: Range<Int>
    }

    init(_ random: inout SplitMix64) {
        steps = random.between(120, 200)
        consumers = random.between(1, 4)
        devices = random.between(1, 8)
        settings.slotsPerLane = random.between(1, 8)
        settings.maxOutcomesPerTurn = random.between(1, 12)
        settings.maxClaimsPerTurn = random.between(1, 12)
        settings.maxEventsPerTurn = random.between(1, 12)
        settings.maxChangesPerTurn = random.between(1, 6)
        switch random.below(3) {
        case 0: settings.retryDelaysSeconds = [1, 2]
        case 1: settings.retryDelaysSeconds = [5, 30, 120, 900]
        default: settings.retryDelaysSeconds = [0]
        }
        settings.breakerFirstSeconds = Int64(random.between(1, 30))
        settings.breakerMaxSeconds = 60
        settings.faultsBeforePause = 1 + steps % 4
        settings.rowsPerDevice = 4 + steps % 3
        settings.slots = steps % 5 == 0 ? settings.slotsPerLane : 1000
        settings.leastSlotsPerLane = 1 + steps % 2
        settings.invalidation.leastDevices = 1 + steps % 2
        settings.invalidation.waitSeconds = [20, 60, 300][steps / 3 % 3]
        settings.invalidation.devicesPerTurn = 1 + steps % 3
        settings.quarantinesBeforeStop = 2 + steps % 3
        settings.outcomesWorthATurn = 3 + steps % 5
        settings.leastOutcomesPerTurn = 1 + steps % 7
        settings.maxSightings = 1 + steps % 3
        isCoarse = steps % 4 == 3
        isLong = steps % 5 == 4
        hasOwnHours = steps % 5 < 2
        hasImports = steps % 7 == 5
        settings.summaryAfterSeconds = [1, 5, 60][steps / 2 % 3]
        settings.outcomeWaitMilliseconds = [4, 300, 3000][steps / 4 % 3]
        if steps % 6 == 4 || steps % 12 == 2 {
            quota = PushQuota(group: "project", perMinute: Int64(61 * (1 + steps % 5)))
        }
        if steps % 6 == 1 { lanePace = Int64(1 + steps % 5) }
        let faults = Episode.Fault.allCases
        switch steps % 3 {
        case 0: episode = Episode(fault: .deadDevices, steps: 60..<(steps % 2 == 0 ? 200 : 110))
        case 1: episode = Episode(fault: faults[steps / 3 % faults.count], steps: 40..<150)
        default: if steps % 4 == 1 { episode = Episode(fault: faults[steps / 12 % faults.count], steps: 40..<110) }
        }
        settings.maxPendingEvents = [8, 20, 400][steps % 3]
        failingCommits = [0, 2, 10][random.below(3)]
        poisonedCommits = [0, 0, 4][random.below(3)]
        badResponses = [0, 10, 30, 60][random.below(4)]
        collapsing = [0, 20, 60][random.below(3)]
        shortLived = [0, 10, 40][random.below(3)]
        isPerDevice = random.chance(30)
        rules = [Self.rules(&random), Self.rules(&random)]
        var sum = 0
        for event in Event.allCases {
            let weight =
                switch event {
                case .post: 12
                case .change: 8
                case .beginCommit, .applyCommit, .deliverCommit: 20
                case .take: 18
                case .respond: 18
                case .stick: 1
                case .crash: 1
                case .drain: 1
                case .jump: 1
                case .removeLane, .resetLane: 1
                case .changeRules: 2
                case .wait: 5
                case .changePresence, .runHousekeeping, .see, .doubtClock, .lookForStale: 1
                case .delete: steps % 3 == 1 ? 1 : 0
                case .lackRoom: steps % 4 == 1 ? 1 : 0
                case .damage: steps % 4 == 0 ? 1 : 0
                // Without room for it, it would only be rejected.
                case .flood: settings.maxPendingEvents < 400 ? 0 : 1
                case .openWindow, .closeWindow, .acknowledge: 3
                }
            // In quarters; rare events are missing in some runs and frequent in others.
            let scale = weight == 1 ? [0, 2, 4, 8][random.below(4)] : random.between(2, 8)
            sum += weight * scale
            sums.append(sum)
        }
    }

    /// Returns quiet hours of some minutes, since a run is short, and summaries of few messages; often neither.
    private static func rules(_ random: inout SplitMix64) -> BrandSettings {
        var settings = BrandSettings()
        if random.chance(40) {
            settings.quietHours = quietHours(timeZone: random.chance(70) ? "UTC" : farZone, &random)
        }
        if random.chance(40) { settings.summaryThreshold = Int64(random.between(1, 3)) }
        if random.chance(50) { settings.campaignRatePerSecond = Int64(random.between(1, 30)) }
        return settings
    }

    /// A time zone without daylight saving time, and its offset in minutes.
    static let farZone = "Asia/Kolkata"
    static let farMinutes = 330

    /// Returns quiet hours that begin soon after the start of a run, or shortly before.
    static func quietHours(timeZone: String?, _ random: inout SplitMix64) -> QuietHours {
        let from = Int(SimulatedWorld.start / 60_000) + (timeZone == farZone ? farMinutes : 0) + random.between(-10, 10)
        return QuietHours(
            from: from % 1440,
            to: (from + random.between(5, 40)) % 1440,
            timeZone: timeZone,
            mode: random.chance(70) ? .held : .silent
        )
    }

    func next(_ random: inout SplitMix64) -> Event {
        let drawn = random.below(sums.last ?? 1)
        for (index, sum) in sums.enumerated() where drawn < sum { return Event.allCases[index] }
        return .wait
    }
}
