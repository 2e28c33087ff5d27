package import GatewayModel

/// The key that identifies an event of a consumer and its replays, and the day on which it came.
package struct EventKey {
    /// The event's source and id in one text; the id alone without a source.
    package let text: String
    /// The name of the consumer, as the event has it: the same request always has the same key.
    package let consumer: String
    /// The other names of the same consumer, under which the event may have come before; the consumer's own name first.
    package let otherNames: [String]
    /// The number of the brand.
    package let brand: Int64
    /// The day, since 1970.
    package let day: Int64

    /// Creates the key of an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - known: Its consumer; nil when there is none yet.
    ///   - brand: The number of its brand.
    ///   - now: The time of the turn.
    package init(_ event: AgentEvent, of known: KnownConsumer?, brand: Int64, at now: Timestamp) {
        text = event.source.isEmpty ? event.id.rawValue : event.source + "\u{1F}" + event.id.rawValue
        let consumer = event.consumer.rawValue
        self.consumer = consumer
        if let known, !known.mergedNames.isEmpty {
            otherNames = ([known.name.id] + known.mergedNames).filter { !$0.utf8.elementsEqual(consumer.utf8) }
        } else {
            otherNames = []
        }
        self.brand = brand
        day = Self.day(of: now)
    }

    /// Creates the key of an event's push to one token, under which the device may have registered again meanwhile.
    init(_ event: EventKey, to token: String) {
        text = event.text + "\u{1D}" + token
        consumer = event.consumer
        otherNames = event.otherNames
        brand = event.brand
        day = event.day
    }

    /// A hash of the source and the id (FNV-1a): stored, so that it must stay the same.
    var hash: UInt64 { text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }

    /// Returns the consumer, the source and the id in one text, which no other event has: none of them has a control
    /// character.
    ///
    /// Nor is it a text of source and id alone, as the earlier version stored them.
    ///
    /// - Parameter consumer: One of the consumer's names.
    /// - Returns: The text.
    package func text(of consumer: String) -> String { consumer + "\u{1E}" + text }

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
