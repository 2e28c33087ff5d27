package import GatewayModel

/// How many new rows each lane can take into memory in a turn.
///
/// Lanes of which nothing is in memory or waits take the same, however many they are: it is said once for all of them.
package struct LaneBudgets: Sendable, ExpressibleByDictionaryLiteral {
    /// In what lanes of which nothing is in memory or waits differ: in what their brands ask.
    package struct Idle: Sendable, Equatable {
        /// Whether rows of campaigns are written as unowned, because campaigns have a pace.
        package var pacesCampaigns: Bool
        /// Whether a device has a share of the lane's rows.
        package var limitsDevices: Bool

        /// Takes what a brand asks.
        ///
        /// - Parameters:
        ///   - pacesCampaigns: Whether campaigns have a pace.
        ///   - limitsDevices: Whether a device has a share of the lane's rows.
        package init(pacesCampaigns: Bool, limitsDevices: Bool) {
            self.pacesCampaigns = pacesCampaigns
            self.limitsDevices = limitsDevices
        }
    }

    /// Budgets of single lanes, whether they are among the idle or not; nil of one that takes none.
    private var own: [LaneID: LaneBudget?]
    private let idle: [LaneID: Idle]
    /// What each idle lane takes; nil when it is nothing.
    private let idleBudget: LaneBudget?

    /// Begins with what is said for all idle lanes.
    ///
    /// - Parameters:
    ///   - idle: The idle lanes.
    ///   - budget: What each of them takes; nil when it is nothing.
    package init(idle: [LaneID: Idle], budget: LaneBudget?) {
        own = [:]
        self.idle = idle
        idleBudget = budget
    }

    /// Takes the budgets of single lanes; all others take nothing.
    ///
    /// - Parameter elements: The lanes, each once, with their budgets.
    package init(dictionaryLiteral elements: (LaneID, LaneBudget)...) {
        self.init(idle: [:], budget: nil)
        for (lane, budget) in elements { self[lane] = budget }
    }

    /// What a lane takes.
    ///
    /// - Parameter lane: The lane.
    /// - Returns: Nil when it takes nothing.
    package subscript(lane: LaneID) -> LaneBudget? {
        get {
            if let own = own[lane] { return own }
            guard var budget = idleBudget, let idle = idle[lane] else { return nil }
            budget.pacesCampaigns = idle.pacesCampaigns
            if !idle.limitsDevices { budget.deviceLimit = nil }
            return budget
        }
        set { own.updateValue(newValue, forKey: lane) }
    }

    /// Takes a slot of a lane for a row.
    ///
    /// - Parameters:
    ///   - queue: The row's queue.
    ///   - lane: The lane, which has a slot.
    package mutating func take(_ queue: OutboxQueue, of lane: LaneID) {
        if let place = own.index(forKey: lane) {
            own.values[place]?.take(queue)
        } else {
            self[lane]?.take(queue)
        }
    }

    /// How many lanes have a budget of their own.
    package var ownCount: Int { own.count }

    /// The most slots that a lane has.
    package var mostSlots: Int {
        own.values.reduce(idle.isEmpty ? 0 : idleBudget?.slots ?? 0) { max($0, $1?.slots ?? 0) }
    }

    /// The lanes that take something, by their numbers.
    package var lanes: [LaneID] {
        Set(own.keys).union(idle.keys).filter { self[$0] != nil }.sorted { $0.rawValue < $1.rawValue }
    }
}
