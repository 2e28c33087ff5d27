/// The store's id of a delivery; it increases with time, and is the delivery's id in the API (as decimal text).
package struct DeliveryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Creates an id from the store's number.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The number as decimal text.
    package var description: String { String(rawValue) }

    /// Orders by age.
    package static func < (lhs: DeliveryID, rhs: DeliveryID) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The store's id of a device registration; a registration that moves to another consumer gets a new one.
package struct RegistrationID: Hashable, Sendable, CustomStringConvertible {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Creates an id from the store's number.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The number as decimal text.
    package var description: String { String(rawValue) }
}

/// The store's id of a consumer.
package struct ConsumerKey: Hashable, Sendable {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Creates an id from the store's number.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The store's id of a conversation.
package struct ConversationKey: Hashable, Sendable {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Creates an id from the store's number.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The store's id of a lane: one brand, app, provider and environment.
package struct LaneID: Hashable, Sendable, CustomStringConvertible {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Creates an id from the store's number.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The number as decimal text.
    package var description: String { String(rawValue) }
}

/// The id of one start of one node: the owner of the outbox rows that it claimed.
package struct IncarnationID: Hashable, Sendable, CustomStringConvertible {
    /// The number, 1 or more; a later start has a larger one.
    package let rawValue: Int64

    /// Creates an id from the store's number.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The number as decimal text.
    package var description: String { String(rawValue) }
}
