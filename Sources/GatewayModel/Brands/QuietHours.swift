/// The part of the day in which a consumer's devices are not woken (TextsQuietHoursSummaries page).
///
/// Its JSON is `{"from":"22:00","to":"07:00","timeZone":"Europe/Berlin","mode":"held"}`, or `{"mode":"off"}` for a
/// consumer without quiet hours of a brand that has them.
package struct QuietHours: Codable, Hashable, Sendable {
    /// The treatment of pushes in quiet hours.
    package enum Mode: String, Codable, Sendable, CaseIterable {
        /// They wait until the quiet hours end.
        case held
        /// They are sent without a sound.
        case silent
        /// There are no quiet hours; a consumer's own setting only.
        case off
    }

    /// The start, in minutes after midnight, 0 to 1439.
    package var from: Int
    /// The end, in minutes after midnight, 0 to 1439: on the next day if it is not later than ``from``.
    package var to: Int
    /// The time zone (IANA) of devices that report none.
    package var timeZone: String?
    /// The treatment of pushes.
    package var mode: Mode

    /// Creates quiet hours.
    package init(from: Int, to: Int, timeZone: String?, mode: Mode) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.mode = mode
    }

    /// The absence of quiet hours.
    package static let off = QuietHours(from: 0, to: 0, timeZone: nil, mode: .off)

    /// Parses a time of day, `HH:MM` from 00:00 to 23:59, as minutes after midnight; nil for any other text.
    package static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        let places = [0, 1, 3, 4]
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
            places.allSatisfy({ bytes[$0] >= 0x30 && bytes[$0] <= 0x39 })
        else { return nil }
        let digits = places.map { Int(bytes[$0]) - 0x30 }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
    }

    /// Formats a time of day, 0 to 1439 minutes after midnight, as `HH:MM`.
    package static func text(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return two(minutes / 60) + ":" + two(minutes % 60)
    }

    private enum CodingKeys: String, CodingKey {
        case from, to, timeZone, mode
    }

    /// Decodes quiet hours; throws `DecodingError` for a wrong type or an invalid time of day.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        mode = try container.decode(Mode.self, forKey: .mode)
        timeZone = try container.decodeIfPresent(String.self, forKey: .timeZone)
        (from, to) = (0, 0)
        guard mode != .off else { return }
        func time(_ key: CodingKeys) throws -> Int {
            guard let minutes = Self.minutes(try container.decode(String.self, forKey: key)) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "must be HH:MM")
            }
            return minutes
        }
        from = try time(.from)
        to = try time(.to)
    }

    /// Encodes the quiet hours.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(mode, forKey: .mode)
        guard mode != .off else { return }
        try container.encode(Self.text(from), forKey: .from)
        try container.encode(Self.text(to), forKey: .to)
        try container.encodeIfPresent(timeZone, forKey: .timeZone)
    }
}
