import GatewayModel
import GatewayStorage
import TurnRules

/// A delivery that a lane has in memory while a log is followed: with its outcome it is what its row of the log says.
final class FollowedDelivery: @unchecked Sendable {
    /// Its number.
    let id: Int64
    /// The key of its brand.
    let brand: Int64
    // Guarded by the order of things: only the writer's queue has it until `finish` was called, and others get it
    // afterwards, through the lock of ``RecentChanges``.
    private(set) var record: DeliveryRecord

    /// Creates one that was never tried, and of which no device has reported anything.
    init(_ record: DeliveryRecord, brand: Int64) {
        self.record = record
        id = record.id.rawValue
        self.brand = brand
    }

    /// Takes over the outcome; once, before any other thread gets it.
    func finish(_ push: FinishedPush) {
        record.state = push.state
        record.attempts = 1
        record.suppressedBy = push.suppressedBy
        record.providerID = push.providerID
        record.status = push.response.status
        record.reason = push.response.reason
        record.sentAt = push.response.sentAt
        record.latencyMilliseconds = push.response.latencyMilliseconds
        record.badge = push.response.badge
    }
}

/// The deliveries that lanes have in memory, as long as a log is followed.
struct UnderwayDeliveries {
    /// The number of deliveries that are kept, about 16 MB.
    ///
    /// A newer one takes the place of an older one, which is then read from the log.
    private static let count: Int64 = 1 << 15

    /// By the last digits of their numbers, which rise by one; empty until the first is added.
    private var places: [FollowedDelivery?] = []
    /// The apps and transports of lanes; nil of those that do not exist.
    var lanes: [Int64: (app: AppID, type: PushType)?] = [:]

    var isEmpty: Bool { places.isEmpty }

    mutating func add(_ delivery: FollowedDelivery) {
        if places.isEmpty { places = Array(repeating: nil, count: Int(Self.count)) }
        places[Self.place(delivery.id)] = delivery
    }

    /// Removes a delivery and returns it; nil when it is not here.
    mutating func take(_ delivery: Int64) -> FollowedDelivery? {
        let place = Self.place(delivery)
        guard !places.isEmpty, let found = places[place], found.id == delivery else { return nil }
        places[place] = nil
        return found
    }

    private static func place(_ delivery: Int64) -> Int { Int(delivery & (count - 1)) }
}
