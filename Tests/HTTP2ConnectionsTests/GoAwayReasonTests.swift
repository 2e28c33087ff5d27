import Testing

@testable import HTTP2Connections

@Suite("GOAWAY debug data")
struct GoAwayReasonTests {
    @Test(
        "a reason is parsed leniently, sanitized and truncated",
        arguments: [
            ("", nil),
            (#"{"reason":"Shutdown"}"#, "Shutdown"),
            (#"{"timestamp":1,"reason" : "BadCertificate"}"#, "BadCertificate"),
            (#"{"reason":7}"#, #"{"reason":7}"#),
            (#"{"reason":"#, #"{"reason":"#),
            ("max_age", "max_age"),
            ("a\nb\u{1b}[0m", "a?b?[0m"),
            (String(repeating: "x", count: 500), String(repeating: "x", count: 128)),
        ] as [(String, String?)]
    )
    func reason(data: String, expected: String?) {
        #expect(GoAwayReason.text(Array(data.utf8)) == expected)
    }
}
