import Testing
import TextFormats

@Suite struct RetryAfterTests {
    private static let now = RFC3339.milliseconds(of: "1994-11-06T08:49:00.500Z") ?? 0

    @Test(
        "seconds and the three forms of a date; past is 0; capped at an hour; invalid is nil",
        arguments: [
            (String?.none, Int64?.none), ("0", 0), ("120", 120), (" 7 ", 7), ("3601", 3600),
            ("99999999999999999999999", 3600), ("-1", nil), ("1.5", nil), ("", nil), ("soon", nil), ("٣", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 37), ("Sunday, 06-Nov-94 08:49:37 GMT", 37),
            ("Sun Nov  6 08:49:37 1994", 37), ("Sun, 06 Nov 1994 08:48:00 GMT", 0),
            ("Sun, 06 Nov 2094 08:49:37 GMT", 3600), ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
            ("Sun, 06 Now 1994 08:49:37 GMT", nil), ("a b c d e f", nil), ("a b c d", nil),
        ] as [(String?, Int64?)]
    )
    func parses(value: String?, seconds: Int64?) {
        #expect(RetryAfter.seconds(value, nowMilliseconds: Self.now) == seconds)
    }
}
