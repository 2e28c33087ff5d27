import Delivery
import GatewayModel
import Testing

@Suite("Quiet spans")
struct QuietSpanTests {
    private static let night = QuietHours(from: 22 * 60, to: 7 * 60, timeZone: "Europe/Berlin", mode: .held)

    private static func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    @Test(
        "it is quiet from the beginning up to the end, in the zone's own time, summer and winter",
        arguments: [
            ("2026-01-10T20:59:59.999Z", false, "2026-01-10T21:00:00.000Z"),
            ("2026-01-10T21:00:00.000Z", true, "2026-01-11T06:00:00.000Z"),
            ("2026-01-11T05:59:59.999Z", true, "2026-01-11T06:00:00.000Z"),
            ("2026-01-11T06:00:00.000Z", false, "2026-01-11T21:00:00.000Z"),
            ("2026-07-10T19:59:59.000Z", false, "2026-07-10T20:00:00.000Z"),
            ("2026-07-10T20:00:00.000Z", true, "2026-07-11T05:00:00.000Z"),
            // The nights in which clocks are set forward and back: an hour shorter, an hour longer.
            ("2026-03-28T21:00:00.000Z", true, "2026-03-29T05:00:00.000Z"),
            ("2026-10-24T20:00:00.000Z", true, "2026-10-25T06:00:00.000Z"),
            ("1969-12-31T23:30:00.000Z", true, "1970-01-01T06:00:00.000Z"),
        ]
    )
    func berlin(now: String, isQuiet: Bool, until: String) throws {
        let span = try QuietSpan(Self.night, timeZone: nil, at: Self.moment(now))
        #expect(span.isQuiet == isQuiet)
        #expect(try span.until == Self.moment(until))
    }

    @Test("an end in the repeated hour is the second one, an end in the skipped hour is an hour later")
    func transitions() throws {
        let early = QuietHours(from: 60, to: 150, timeZone: "Europe/Berlin", mode: .held)
        // 02:30 comes at 00:30 and at 01:30 UTC.
        let back = try QuietSpan(early, timeZone: nil, at: Self.moment("2026-10-25T00:45:00.000Z"))
        #expect(back == QuietSpan(early, timeZone: nil, at: back.since))
        #expect(try back.isQuiet && back.until == Self.moment("2026-10-25T01:30:00.000Z"))
        // 02:30 does not come: the clock shows 03:30 instead, at 01:30 UTC.
        let forward = try QuietSpan(early, timeZone: nil, at: Self.moment("2026-03-29T00:15:00.000Z"))
        #expect(try forward.isQuiet && forward.until == Self.moment("2026-03-29T01:30:00.000Z"))
    }

    @Test("the device's time zone takes precedence; an unknown one does not, and without any it is UTC")
    func zones() throws {
        let now = try Self.moment("2026-01-10T21:30:00.000Z")
        #expect(QuietSpan(Self.night, timeZone: nil, at: now).isQuiet)
        #expect(!QuietSpan(Self.night, timeZone: "America/New_York", at: now).isQuiet)
        #expect(QuietSpan(Self.night, timeZone: "Mars/Olympus", at: now).isQuiet)
        var nowhere = Self.night
        nowhere.timeZone = nil
        #expect(!QuietSpan(nowhere, timeZone: nil, at: now).isQuiet)
        #expect(QuietSpan(nowhere, timeZone: nil, at: now.adding(seconds: 1800)).isQuiet)
        #expect(!QuietSpan(.off, timeZone: nil, at: now).isQuiet)
    }

    @Test("a span does not contain times before its start, nor from its end on")
    func holds() throws {
        let span = try QuietSpan(Self.night, timeZone: nil, at: Self.moment("2026-01-10T21:30:00.000Z"))
        #expect(span.holds(at: span.since) && span.holds(at: span.until.adding(milliseconds: -1)))
        #expect(!span.holds(at: span.since.adding(milliseconds: -1)) && !span.holds(at: span.until))
    }

    @Test("every span agrees with the local clock, minute by minute over the longer and the shorter night")
    func minutes() throws {
        let zone = try #require(LocalTimeZone("Europe/Berlin"))
        for start in ["2026-03-28T12:00:00.000Z", "2026-10-24T12:00:00.000Z"] {
            let first = try Self.moment(start)
            for minute in 0..<Int64(24 * 60) {
                let now = first.adding(seconds: minute * 60)
                let seconds = now.milliseconds / 1000
                let local = Int((seconds + zone.offset(at: seconds)) % 86_400 / 60)
                #expect(QuietSpan(Self.night, timeZone: nil, at: now).isQuiet == (local >= 22 * 60 || local < 7 * 60))
            }
        }
    }
}
