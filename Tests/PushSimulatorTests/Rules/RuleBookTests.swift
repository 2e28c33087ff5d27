import PushSimulator
import Testing

@Suite struct RuleBookTests {
    @Test(
        "invalid rules are rejected with the position and the error",
        arguments: [
            ("x", "not JSON"),
            ("{}", "the rules must be an array"),
            ("[1]", "rule 0: must be an object"),
            (#"[{}]"#, #"rule 0: "do" is missing"#),
            (#"[{"do":{"status":500}},{"do":{}}]"#, "rule 1, do: nothing is to be done"),
            (#"[{"do":{"status":500},"if":1}]"#, #"rule 0: unknown member "if""#),
            (#"[{"do":{"sleep":1}}]"#, #"rule 0, do: unknown member "sleep""#),
            (#"[{"do":{"status":99}}]"#, #"rule 0, do: "status" must be an integer from 200 to 599"#),
            (#"[{"do":{"delayMs":-1}}]"#, #"rule 0, do: "delayMs" must be"#),
            (#"[{"do":{"drop":"yes"}}]"#, #"rule 0, do: "drop" must be true or false"#),
            (#"[{"do":{"reset":"x"}}]"#, #"rule 0, do: "reset" must be"#),
            (#"[{"do":{"goaway":{"code":0,"last":1}}}]"#, #"rule 0, do, goaway: unknown member "last""#),
            (#"[{"do":{"goaway":7}}]"#, "rule 0, do, goaway: must be an object"),
            (#"[{"do":{"silent":true,"drop":true}}]"#, "rule 0, do: only one of"),
            (#"[{"do":{"mute":true,"reset":true}}]"#, "rule 0, do: only one of"),
            (#"[{"do":{"silent":true,"truncate":true}}]"#, "rule 0, do: half an answer is ordered"),
            (#"[{"do":{"dribbleMs":0}}]"#, #"rule 0, do: "dribbleMs" must be"#),
            (
                #"[{"do":{"goaway":{"processed":true,"lastStreamId":1}}}]"#,
                #"rule 0, do, goaway: only one of "processed" and "lastStreamId""#
            ),
            (#"[{"do":{"goaway":{"lastStreamId":-1}}}]"#, #"rule 0, do, goaway: "lastStreamId" must be"#),
            (#"[{"do":{"silent":true,"status":500}}]"#, "rule 0, do: an answer is described"),
            (#"[{"do":{"status":200,"reason":"BadTopic"}}]"#, "rule 0, do: an acceptance has no reason"),
            (#"[{"do":{"retryAfter":"a\nb"}}]"#, #"rule 0, do: "retryAfter" must be"#),
            (#"[{"match":{"provider":"wns"},"do":{"drop":true}}]"#, #"rule 0, match: "provider" must be"#),
            (#"[{"match":{"everyNth":0},"do":{"drop":true}}]"#, #"rule 0, match: "everyNth" must be"#),
            (#"[{"match":{"minBytes":0},"do":{"drop":true}}]"#, #"rule 0, match: "minBytes" must be"#),
            (#"[{"match":{"topic":"x"},"do":{"drop":true}}]"#, #"rule 0, match: unknown member "topic""#),
        ]
    )
    func refused(text: String, start: String) {
        let error = #expect(throws: RuleError.self) { try RuleBook.parse(Array(text.utf8)) }
        #expect(error?.description.hasPrefix(start) == true, "\(error?.description ?? "")")
    }

    @Test("rules are returned as parsed, and can be put again")
    func roundTrip() throws {
        let text = #"""
            [{"match":{"provider":"apns","tokenPrefix":"ab","minBytes":9,"everyNth":3},"do":{"status":410,"reason":"Unregistered",
            "timestamp":1700000000000,"retryAfter":7,"delayMs":50}},
            {"do":{"goaway":true}},{"do":{"goaway":{"processed":false,"debugData":"x"}}},{"do":{"reset":true}},
            {"do":{"reset":2}},{"do":{"drop":true}},{"do":{"maxStreams":0}},{"do":{"html":true,"status":502}},
            {"match":{"provider":"oauth"},"do":{"silent":true}},{"do":{"truncate":true}},{"do":{"mute":true}},
            {"do":{"dribbleMs":20}},{"do":{"goaway":{"lastStreamId":2147483647}}},
            {"do":{"retryAfter":"Wed, 21 Oct 2026 07:28:00 GMT","status":503}}]
            """#
        let rules = try RuleBook.parse(Array(text.utf8)).rules
        #expect(rules.count == 14)
        let shown = JSONValue.array(rules.map(\.json)).text
        #expect(try RuleBook.parse(shown).rules == rules)
        #expect(rules[0].action.timestamp == 1_700_000_000_000)
        #expect(rules[3].action.resetCode == 7)
    }

    @Test("minBytes checks the length of the body")
    func minBytes() {
        var book = RuleBook([SimulatorRule(match: .init(minBytes: 1000), action: RuleAction(status: 503))])
        #expect(book.action(for: .apns, token: "ab", bytes: 999) == nil)
        #expect(book.action(for: .fcm, token: "ab", bytes: 1000)?.status == 503)
    }

    @Test("everyNth counts matching requests, and others go to the next rule")
    func everyNth() {
        var book = RuleBook([
            SimulatorRule(
                match: .init(provider: .apns, tokenPrefix: "AB", everyNth: 3),
                action: RuleAction(status: 500)
            ),
            SimulatorRule(match: .init(tokenPrefix: "ab"), action: RuleAction(delayMilliseconds: 1)),
        ])
        #expect(book.action(for: .apns, token: "cd") == nil)
        let statuses = (0..<6).map { _ in book.action(for: .apns, token: "abcd")?.status }
        #expect(statuses == [nil, nil, 500, nil, nil, 500])
        // FCM's tokens are compared exactly, and the first rule is not FCM's.
        #expect(book.action(for: .fcm, token: "abcd")?.delayMilliseconds == 1)
        #expect(book.action(for: .fcm, token: "ABcd") == nil)
    }

    @Test("a rule without a provider does not apply to the token endpoint")
    func tokenEndpoint() {
        var book = RuleBook([SimulatorRule(action: RuleAction(status: 503))])
        #expect(book.action(for: .oauth, token: nil) == nil)
        #expect(book.action(for: .fcm, token: nil)?.status == 503)
        book = RuleBook([SimulatorRule(match: .init(provider: .oauth), action: RuleAction(status: 503))])
        #expect(book.action(for: .oauth, token: nil)?.status == 503)
        #expect(book.action(for: .fcm, token: nil) == nil)
    }
}
