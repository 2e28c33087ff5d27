package import GatewayModel

/// The key that identifies an event and its replays, and the day on which it came.
package struct EventKey {
    /// The event's source and id in one text; the id alone without a source.
    package let text: String
    /// The number of the brand.
    package let brand: Int64
    /// The day, since 1970.
    package let day: Int64

    /// Creates the key of an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - brand: The number of its brand.
    ///   - now: The time of the turn.
    package init(_ event: AgentEvent, brand: Int64, at now: Timestamp) {
        text = event.source.isEmpty ? event.id.rawValue : event.source + "\u{1F}" + event.id.rawValue
        self.brand = brand
        day = Self.day(of: now)
    }

    /// Returns the day of a moment, since 1970.
    static func day(of now: Timestamp) -> Int64 { now.milliseconds / 86_400_000 }

    /// Returns the first day whose ids detect a replay: one day more than the hours, because they may begin late in it.
    ///
    /// Days after the present one count too: the clock may have been set back.
    ///
    /// - Parameters:
    ///   - today: The day, since 1970.
    ///   - hours: The retention of events' ids.
    /// - Returns: The day, since 1970.
    package static func oldestDay(_ today: Int64, hours: Int64) -> Int64 { today - (hours + 23) / 24 }
}

/// The stored facts of an event's first arrival.
package struct FirstArrival: Sendable {
    /// The key of the message that it made; nil when it made none.
    package var message: Int64?
    /// The hash of its content.
    package var hash: UInt64

    /// Creates the facts.
    package init(message: Int64?, hash: UInt64) {
        self.message = message
        self.hash = hash
    }
}
