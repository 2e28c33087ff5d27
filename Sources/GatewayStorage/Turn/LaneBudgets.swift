package import GatewayModel

/// The numbers of new rows that lanes can take into memory in a turn.
///
/// All lanes with nothing in memory and nothing waiting take the same, however many they are: one budget stands for
/// them.
package struct LaneBudgets: Sendable, ExpressibleByDictionaryLiteral {
    /// The settings of an idle lane's brand in which budgets differ.
    package struct Idle: Sendable, Equatable {
        /// Whether rows of campaigns are written as unowned, because campaigns have a pace.
        package var pacesCampaigns: Bool
        /// Whether a device has a share of the lane's rows.
        package var limitsDevices: Bool

        /// Creates the settings of an idle lane.
        package init(pacesCampaigns: Bool, limitsDevices: Bool) {
            self.pacesCampaigns = pacesCampaigns
            self.limitsDevices = limitsDevices
        }
    }

    /// Budgets of single lanes, idle ones or not; nil for one that takes none.
    private var own: [LaneID: LaneBudget?]
    private let idle: [LaneID: Idle]
    /// The budget of each idle lane; nil when it takes none.
    private let idleBudget: LaneBudget?

    /// Creates budgets with one for all idle lanes; nil when they take none.
    package init(idle: [LaneID: Idle], budget: LaneBudget?) {
        own = [:]
        self.idle = idle
        idleBudget = budget
    }

    /// Creates the budgets of single lanes, each named once; all others take none.
    package init(dictionaryLiteral elements: (LaneID, LaneBudget)...) {
        self.init(idle: [:], budget: nil)
        for (lane, budget) in elements { self[lane] = budget }
    }

    /// The budget of a lane; nil when it takes none.
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

    /// Takes a slot of a lane, which has a free one, for a row.
    package mutating func take(_ queue: OutboxQueue, of lane: LaneID) {
        if let place = own.index(forKey: lane) {
            own.values[place]?.take(queue)
        } else {
            self[lane]?.take(queue)
        }
    }

    /// The number of lanes with a budget of their own.
    package var ownCount: Int { own.count }

    /// The largest number of slots of a lane.
    package var mostSlots: Int {
        own.values.reduce(idle.isEmpty ? 0 : idleBudget?.slots ?? 0) { max($0, $1?.slots ?? 0) }
    }

    /// The lanes with a budget, by their numbers.
    package var lanes: [LaneID] {
        Set(own.keys).union(idle.keys).filter { self[$0] != nil }.sorted { $0.rawValue < $1.rawValue }
    }
}
