/// The order in which pushes are sent when they compete: within a lane, and within a device.
package enum PushClass: Int, Sendable, CaseIterable, Comparable {
    /// An agent's message: somebody waits for it.
    case agent
    /// A badge, with the read marks of other devices.
    case badge
    /// A proactive message: nobody waits for it.
    case proactive

    package static func < (left: PushClass, right: PushClass) -> Bool { left.rawValue < right.rawValue }
}

/// The queue of a lane in which an unfinished delivery waits.
///
/// Each campaign has its own queue, so that it can have its own rate.
package struct OutboxQueue: RawRepresentable, Hashable, Sendable, Comparable {
    /// The number in the store: 0 for agents' messages, 1 for badges, 2 for proactive messages without a campaign, and
    /// from 3 on the campaign's number plus 3.
    package let rawValue: Int64

    /// Creates a queue from its stored number.
    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Agents' messages.
    package static let agent = OutboxQueue(rawValue: 0)
    /// Badges.
    package static let badge = OutboxQueue(rawValue: 1)

    /// Returns the queue of the proactive messages of a campaign, by its number, at least 0; nil for those without one.
    package static func proactive(campaign: Int64?) -> OutboxQueue {
        OutboxQueue(rawValue: campaign.map { $0 + 3 } ?? 2)
    }

    /// Creates the queue of a delivery: of a kind of message and the number of its campaign, or nil for a badge.
    package init(message: MessageKind?, campaign: Int64?) {
        switch message {
        case nil: self = .badge
        case .agent: self = .agent
        case .proactive, .c2m, .consumer: self = .proactive(campaign: campaign)
        }
    }

    /// The class of its deliveries.
    package var pushClass: PushClass {
        switch rawValue {
        case 0: .agent
        case 1: .badge
        default: .proactive
        }
    }

    /// Whether it is a campaign's.
    package var isCampaign: Bool { rawValue > 2 }

    package static func < (left: OutboxQueue, right: OutboxQueue) -> Bool { left.rawValue < right.rawValue }
}
