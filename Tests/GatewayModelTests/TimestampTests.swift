import GatewayModel
import Testing

@Suite("Timestamps in the API are RFC 3339 in UTC with milliseconds")
struct TimestampTests {
    @Test(
        "parses RFC 3339",
        arguments: [
            ("1970-01-01T00:00:00Z", Int64(0)), ("2026-01-02T03:04:05.678Z", 1_767_323_045_678),
            ("2026-01-02t03:04:05.6z", 1_767_323_045_600), ("2026-01-02T04:04:05.678999+01:00", 1_767_323_045_678),
            ("2000-02-29T23:59:59Z", 951_868_799_000), ("1969-12-31T23:59:59.999Z", -1),
            ("2016-12-31T23:59:60Z", 1_483_228_799_999), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ]
    )
    func reads(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        "rejects a text that is not a time",
        arguments: [
            "", "2026-01-02", "2026-01-02T03:04:05", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-01-02T24:00:00Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05+1:00", "2026-01-02 03:04:05Z",
            "2026-01-02T03:04:05Zx", "2026-01-02T03:60:05Z", "+026-01-02T03:04:05Z", "２026-01-02T03:04:05Z",
        ]
    )
    func refuses(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("formatting and parsing return the same time, over four thousand years")
    func roundTrip() {
        var value = Int64(-62_135_596_800_000)
        while value < 253_402_300_799_999 {
            let time = Timestamp(milliseconds: value)
            #expect(Timestamp(rfc3339: time.rfc3339) == time)
            #expect(time.rfc3339.utf8.count == 24)
            value += 86_399_999 * 977
        }
        #expect(Timestamp(milliseconds: 1_767_323_045_678).rfc3339 == "2026-01-02T03:04:05.678Z")
    }

    @Test("arithmetic is clamped instead of overflowing")
    func saturates() {
        #expect(Timestamp(milliseconds: .max - 1).adding(seconds: 5).milliseconds == .max)
        #expect(Timestamp(milliseconds: 0).adding(seconds: .min).milliseconds == .min)
        #expect(Timestamp(milliseconds: -1).seconds == -1)
    }
}
