/// The store's own number of a delivery; rises with time, and is the delivery's id on the wire (as decimal text).
package struct DeliveryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Takes the store's number.
    ///
    /// - Parameter rawValue: 1 or more.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The number as decimal text.
    package var description: String { String(rawValue) }

    /// Orders by age.
    ///
    /// - Parameters:
    ///   - lhs: The first delivery.
    ///   - rhs: The second delivery.
    /// - Returns: True when the first is older.
    package static func < (lhs: DeliveryID, rhs: DeliveryID) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The store's own number of a device registration; a registration that moves to another consumer gets a new one.
package struct RegistrationID: Hashable, Sendable, CustomStringConvertible {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Takes the store's number.
    ///
    /// - Parameter rawValue: 1 or more.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The number as decimal text.
    package var description: String { String(rawValue) }
}

/// The store's own number of a consumer.
package struct ConsumerKey: Hashable, Sendable {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Takes the store's number.
    ///
    /// - Parameter rawValue: 1 or more.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The store's own number of a conversation.
package struct ConversationKey: Hashable, Sendable {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Takes the store's number.
    ///
    /// - Parameter rawValue: 1 or more.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The store's own number of a lane: one way out, for one brand, app, provider and environment.
package struct LaneID: Hashable, Sendable, CustomStringConvertible {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Takes the store's number.
    ///
    /// - Parameter rawValue: 1 or more.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The number as decimal text.
    package var description: String { String(rawValue) }
}

/// One start of one node: what the outbox rows that it took are owned by.
package struct IncarnationID: Hashable, Sendable, CustomStringConvertible {
    /// The number, 1 or more; a later start has a larger one.
    package let rawValue: Int64

    /// Takes the store's number.
    ///
    /// - Parameter rawValue: 1 or more.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The number as decimal text.
    package var description: String { String(rawValue) }
}
