internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

/// Failed deliveries by provider, app and reason: a value that deliveries are added to, newest first.
struct FailureGroups {
    /// The maximum number of deliveries that are counted; and of groups that are returned, since a reason is any text of
    /// a provider.
    static let (maxDeliveries, maxGroups) = (10_000, 100)

    /// The members that the deliveries of a group share.
    struct Key: Hashable {
        var provider: PushType
        var app: AppID
        var status: Int?
        /// The bytes of the reason: in Swift, canonically equivalent strings are equal.
        var reason: [UInt8]?
    }

    /// One group.
    struct Group {
        var key: Key
        var count = 0
        var firstAt: Timestamp
        var lastAt: Timestamp
        /// Its newest delivery.
        var example: DeliveryID
    }

    private var groups: [Key: Group] = [:]
    /// The number of counted deliveries.
    private(set) var count = 0
    /// When the oldest counted delivery was queued; nil when there is none.
    private(set) var oldestAt: Timestamp?

    /// Adds a delivery.
    mutating func add(_ record: DeliveryRecord) {
        count += 1
        oldestAt = record.queuedAt
        let key = Key(
            provider: record.provider,
            app: record.app,
            status: record.status,
            reason: record.reason.map { Array($0.utf8) }
        )
        let at = record.queuedAt
        var group = groups[key] ?? Group(key: key, firstAt: at, lastAt: at, example: record.id)
        group.count += 1
        group.firstAt = min(group.firstAt, at)
        group.lastAt = max(group.lastAt, at)
        groups[key] = group
    }

    /// The groups, those with the most deliveries first; of as many, that with the newest one.
    var sorted: [Group] {
        groups.values.sorted { ($1.count, $1.example) < ($0.count, $0.example) }
    }
}

extension JSONWriter {
    /// Appends groups of failures, without the braces.
    mutating func failures(_ groups: FailureGroups, isWhole: Bool, brand: BrandID) {
        failures(groups, brand: brand)
        member("isWhole", isWhole)
        member("oldestAt", orNull: groups.oldestAt)
    }

    /// Appends the largest groups and the counts of all, without the braces.
    mutating func failures(_ groups: FailureGroups, brand: BrandID) {
        let sorted = groups.sorted
        array("items", sorted.prefix(FailureGroups.maxGroups)) { writer, group in
            writer.literal("{")
            writer.member("provider", group.key.provider.rawValue)
            writer.member("app", group.key.app.rawValue)
            writer.member("status", orNull: group.key.status.map { Int64($0) })
            writer.member("reason", orNull: group.key.reason.map { String(decoding: $0, as: UTF8.self) })
            writer.member("count", Int64(group.count))
            writer.member("firstAt", group.firstAt)
            writer.member("lastAt", group.lastAt)
            writer.member("example", group.example.description)
            writer.member("url", "/v1/brands/\(brand)/deliveries/\(group.example)")
            writer.literal("}")
        }
        member("omittedGroups", Int64(max(sorted.count - FailureGroups.maxGroups, 0)))
        member("count", Int64(groups.count))
    }
}
