package import GatewayModel
import GatewayStorage

/// The numbers of a lane's rows in memory, by class.
package struct RowCounts: Sendable, Equatable {
    private var agent = 0
    private var badge = 0
    private var proactive = 0

    /// Creates counts.
    package init(agent: Int = 0, badge: Int = 0, proactive: Int = 0) {
        (self.agent, self.badge, self.proactive) = (agent, badge, proactive)
    }

    /// The sum of all classes.
    package var total: Int { agent + badge + proactive }

    /// The number of rows of a class.
    package subscript(pushClass: PushClass) -> Int {
        switch pushClass {
        case .agent: agent
        case .badge: badge
        case .proactive: proactive
        }
    }

    mutating func add(_ row: OutboxRow) { change(row.queue.pushClass, by: 1) }

    mutating func remove(_ row: OutboxRow) { change(row.queue.pushClass, by: -1) }

    private mutating func change(_ pushClass: PushClass, by count: Int) {
        switch pushClass {
        case .agent: agent += count
        case .badge: badge += count
        case .proactive: proactive += count
        }
    }
}
