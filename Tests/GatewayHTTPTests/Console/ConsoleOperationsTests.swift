import Delivery
import GatewayModel
import HTTPTypes
import TestSupport
import Testing
import TextFormats

@testable import GatewayHTTP

@Suite("Replays, objectives and unreachable consumers in the console", .timeLimit(.minutes(10)))
struct ConsoleOperationsTests {
    /// A script, as a browser would run it, and as a page must write it.
    private static let (script, harmless) = ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;")
    private static let replay = "/brands/acme/failures/replay"

    private static func with(_ test: @escaping @Sendable (API) async throws -> Void) async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            try await test(api)
        }
    }

    /// Makes failed deliveries of a device that has a valid token now.
    private static func fail(_ count: Int, _ api: API) async throws {
        let session = try await api.makeSession()
        try #require(try await api.register("d-1", as: session, token: "bad0").status == 201)
        for number in 1...count { try await api.post("e-\(number)") }
        _ = try await api.until {
            try await api.call(.get, "/v1/brands/acme/deliveries?state=failed")
        } holds: {
            $0["items"]?.items.count == count
        }
        try #require(try await api.register("d-1", as: session, token: "aabb").status < 300)
        api.clock.advance(seconds: 1)
    }

    /// Returns the fields of the form that confirms.
    private static func fields(_ page: Reply) -> [String: String] {
        let found = page.text.matches(of: #/<input type="hidden" name="([a-zA-Z]+)" value="([^"]*)">/#)
        return Dictionary(found.map { (String($0.output.1), String($0.output.2)) }) { $1 }
    }

    @Test("failures are sent again after a dry run, by those who may; the confirmation keeps the period")
    func replays() async throws {
        try await Self.with { api in
            try await api.makeOperator("olga", "operator@acme")
            try await api.makeOperator("sue", "support@acme")
            let (olga, sue) = (try await api.signIn("olga"), try await api.signIn("sue"))
            try await Self.fail(2, api)
            #expect(try await !api.open("/brands/acme/failures", of: sue).text.contains(#"id="replay-form""#))
            let failures = try await api.open("/brands/acme/failures", of: olga)
            failures.expectPage(200)
            #expect(failures.text.contains(#"<form id="replay-form""#))
            let dry = try await api.submit(Self.replay, of: olga, ["reason": "TopicDisallowed", "provider": "apns"])
            dry.expectPage(200)
            #expect(dry.text.contains("2 of 2 failures would be sent again."), "\(dry.text)")
            #expect(dry.text.contains("<td>Would be sent again</td>"))
            #expect(dry.text.contains(#"<td class="text">apns ios 400 TopicDisallowed</td>"#))
            let confirmed = Self.fields(dry)
            #expect(confirmed["until"] == api.clock.now.rfc3339 && confirmed["dryRun"] == "false")
            #expect(confirmed["since"] == api.clock.now.adding(seconds: -86_400).rfc3339)
            #expect(confirmed["reason"] == "TopicDisallowed" && confirmed["provider"] == "apns")
            let still = try await api.call(.get, "/v1/brands/acme/deliveries?state=failed")
            #expect(still["items"]?.items.count == 2)

            try await api.submit(Self.replay, of: sue, confirmed).expectPage(403)
            try await api.submit(Self.replay, of: olga, csrf: "x", confirmed).expectPage(403)
            let foreign: HTTPFields = [.secFetchSite: "cross-site"]
            try await api.submit(Self.replay, of: olga, confirmed, headers: foreign).expectPage(403)
            let sent = try await api.submit(Self.replay, of: olga, confirmed)
            sent.expectPage(200)
            #expect(sent.text.contains("2 of 2 failures are sent again."), "\(sent.text)")
            #expect(sent.text.contains("<td>Sent again</td>") && !sent.text.contains(#"id="replay""#))
            _ = try await api.until {
                try await api.call(.get, "/v1/brands/acme/deliveries?state=accepted")
            } holds: {
                $0["items"]?.items.count == 2
            }
            let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
            let replays = trail.filter { $0["action"]?.string == "deliveries.replayed" }
            #expect(replays.map { $0["actor"]?["id"]?.string } == ["olga"])
            let again = try await api.submit(Self.replay, of: olga)
            again.expectPage(200)
            #expect(again.text.contains("0 of 0 failures would be sent again."))
            #expect(!again.text.contains(#"id="replay""#))
        }
    }

    @Test("a form handles some hundred failures, and offers to continue with older ones")
    func many() async throws {
        try await Self.with { api in
            try await api.makeOperator("olga", "operator@acme")
            let olga = try await api.signIn("olga")
            try await Self.fail(1, api)
            // Their device is gone, so that a form for them sends nothing.
            try await api.execute(
                """
                INSERT INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, attempts, status, \
                reason, queued_at, change) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700) \
                SELECT id + i, brand, app, 'd-9', consumer, push_type, message, state, attempts, status, '\(Self.script)', \
                queued_at, change + i FROM delivery_log, n WHERE state = 'failed'
                """
            )
            let dry = try await api.submit(Self.replay, of: olga)
            dry.expectPage(200)
            #expect(dry.text.contains("0 of 500 failures would be sent again. There may be older ones"), "\(dry.text)")
            #expect(dry.text.contains(#"<th scope="row">500</th><td>Not sent</td>"#))
            let first = try await api.submit(Self.replay, of: olga, Self.fields(dry))
            first.expectPage(200)
            #expect(first.text.contains("0 of 500 failures are sent again. There may be older ones"), "\(first.text)")
            #expect(first.text.contains("Continue with older ones") && !first.text.contains(Self.script))
            let fields = Self.fields(first)
            let second = try await api.submit(Self.replay, of: olga, fields)
            second.expectPage(200)
            #expect(second.text.contains("1 of 201 failures are sent again."), "\(second.text)")
            #expect(!second.text.contains(#"id="replay""#))
            let cursor = try #require(fields["cursor"])
            for wrong in [cursor + "x", "x", String(cursor.dropLast())] {
                let page = try await api.submit(Self.replay, of: olga, fields.merging(["cursor": wrong]) { $1 })
                page.expectPage(422)
            }
        }
    }

    @Test("a script in a reason or a field is text on the pages of a replay")
    func planted() async throws {
        try await Self.with { api in
            try await api.makeOperator("olga", "operator@acme")
            let olga = try await api.signIn("olga")
            try await Self.fail(1, api)
            try await api.execute("UPDATE delivery_log SET reason = '\(Self.script)'")
            let page = try await api.submit(Self.replay, of: olga)
            page.expectPage(200)
            #expect(page.text.contains("apns ios 400 \(Self.harmless)"), "\(page.text)")
            #expect(!page.text.contains(Self.script))
            let kept = try await api.submit(Self.replay, of: olga, ["reason": Self.script + "'\"x"])
            kept.expectPage(200)
            #expect(!kept.text.contains(Self.script))
            for name in ["since", "until", "app", "provider", "cursor"] {
                let wrong = try await api.submit(Self.replay, of: olga, [name: Self.script])
                wrong.expectPage(422)
                #expect(!wrong.text.contains(Self.script), "\(name)")
            }
        }
    }

    @Test("the consumers that no push reaches are listed, escaped, and lead to their pages")
    func unreachable() async throws {
        try await Self.with { api in
            try await api.makeOperator("sue", "support@acme")
            try await api.makeOperator("vera", "viewer@acme")
            try await api.post("e-1", consumer: Self.script, conversation: "c-1")
            try await api.post("e-2", consumer: "u-2", conversation: "c-2")
            let start = api.clock.now
            api.clock.advance(seconds: 86_401)
            let (sue, vera) = (try await api.signIn("sue"), try await api.signIn("vera"))
            let page = try await api.open("/brands/acme/unreachable", of: sue)
            page.expectPage(200)
            let row = ">\(Self.harmless)</a></th><td>1</td><td>\(start.rfc3339)</td>"
            #expect(page.text.contains(row), "\(page.text)")
            #expect(page.text.contains(#"<a href="/console/brands/acme/consumers/u-2">u-2</a>"#))
            #expect(!page.text.contains(Self.script) && !page.text.contains("hello"))
            #expect(page.text.contains(#"id="nav-unreachable""#) && !page.text.contains(#"id="next""#))
            let none = try await api.open("/brands/acme/unreachable?unreadOlderThanHours=48", of: sue)
            none.expectPage(200)
            #expect(none.text.contains(": none.") && none.text.contains(#"value="48""#))
            for query in ["unreadOlderThanHours=%3Cscript%3Ealert(1)%3C/script%3E", "cursor=%3Cscript%3E"] {
                let wrong = try await api.open("/brands/acme/unreachable?" + query, of: sue)
                wrong.expectPage(422)
                #expect(!wrong.text.contains("<script>"))
            }
            try await api.open("/brands/acme/unreachable", of: vera).expectPage(403)
            let lanes = try await api.open("/brands/acme/lanes", of: vera)
            #expect(!lanes.text.contains(#"id="nav-unreachable""#) && lanes.text.contains(#"id="nav-objectives""#))
        }
    }

    @Test("the objective is a sentence, and each app has its share, as words and as a bar")
    func objectives() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            let none = try await api.open("/brands/acme/objectives", of: vera)
            none.expectPage(200)
            #expect(none.text.contains("The brand has no objective."))
            let settings = #"{"settings":{"objective":{"percent":95,"withinSeconds":1}}}"#
            try #require(try await api.call(.patch, "/v1/brands/acme", settings).status == 200)
            let idle = try await api.open("/brands/acme/objectives", of: vera)
            idle.expectPage(200)
            #expect(idle.text.contains("95 % of the pushes of agents&#39; messages are accepted"))
            #expect(idle.text.contains("within a second.") && idle.text.contains("There was no push in the last hour."))
            try #require(try await api.register("d-1", as: try await api.makeSession()).status == 201)
            try await api.post("e-1")
            _ = try await api.until {
                try await api.call(.get, "/v1/brands/acme/objectives")
            } holds: {
                $0["items"]?[0]?["slow"]?["inTime"]?.int == 1
            }
            let page = try await api.open("/brands/acme/objectives", of: vera)
            page.expectPage(200)
            #expect(page.text.contains(#"<th scope="row">All apps</th><td class="state met">met</td>"#), "\(page.text)")
            #expect(page.text.contains(#"<th scope="row">ios</th><td class="state met">met</td>"#))
            #expect(page.text.contains("100.0 % were accepted within a second. 0 % of the month&#39;s error budget"))
            #expect(page.text.contains(#"role="img" aria-label="ios: 1 of 1 in time">"#))
            #expect(page.text.contains(#"<rect class="target" x="189""#))
            try await api.open("/brands/acme/objectives?cursor=x", of: vera).expectPage(422)
            // The gateway was started now.
            let (start, hour) = (api.clock.now.rfc3339, api.clock.now.adding(seconds: -3600).rfc3339)
            #expect(page.text.contains(#"<p id="incomplete">Statistics incomplete from \#(hour) to \#(start): "#))
            api.clock.advance(seconds: 3599)
            let path = "/v1/brands/acme/objectives"
            #expect(try await api.call(.get, path)["items"]?[0]?["incompleteBefore"]?.string == start)
            api.clock.advance(seconds: 1)
            #expect(try await api.call(.get, path)["items"]?[0]?["incompleteBefore"] == .null)
        }
    }

    @Test("what is wrong with the gateway itself is on every page of a brand, as long as it lasts")
    func ownFaults() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            let delivery = try #require(api.data.delivery)
            for (faults, isShown) in [([], false), ([.diskSpaceLow], true), ([], false)] as [(Set<HostFault>, Bool)] {
                delivery.report(faults)
                for path in ["/lanes", "/deliveries", "/objectives"] {
                    let page = try await api.open("/brands/acme" + path, of: vera)
                    page.expectPage(200)
                    let fault = #"<p role="alert" id="own-faults">The gateway is not well. It accepts no events."#
                    #expect(page.text.contains(fault) == isShown, "\(page.text)")
                }
            }
        }
    }

    @Test("administrators see what ends when, what must be renewed first")
    func calendar() async throws {
        try await Self.with { api in
            try await api.makeOperator("ann", "admin@acme")
            try await api.makeOperator("olga", "operator@acme")
            let (ann, olga) = (try await api.signIn("ann"), try await api.signIn("olga"))
            let end = api.clock.now.adding(seconds: 5 * 86_400).rfc3339
            let body = #"{"kind":"serviceAccount","name":"a","scopes":["events:write"],"expiresAt":"\#(end)"}"#
            let id = try #require(try await api.call(.post, "/v1/brands/acme/credentials", body)["id"]?.string)
            let page = try await api.open("/brands/acme/calendar", of: ann)
            page.expectPage(200)
            let row = #"\#(id)</th><td>serviceAccount</td><td>\#(end)</td><td class="burning">within 7 days</td>"#
            #expect(page.text.contains(row), "\(page.text)")
            #expect(page.text.contains(#">ios</th><td>appKeys</td><td>–</td><td>without an end</td>"#))
            #expect(page.text.contains(#"id="nav-calendar""#))
            try await api.open("/brands/acme/calendar?cursor=x", of: ann).expectPage(422)
            try await api.open("/brands/acme/calendar", of: olga).expectPage(403)
            #expect(try await !api.open("/brands/acme/lanes", of: olga).text.contains(#"id="nav-calendar""#))
        }
    }

    @Test(
        "the words of an objective: the share in time, and how fast the month's error budget is used",
        arguments: [
            (99, 1, 99, "99.0 % were accepted within 5 seconds. 0.13 % of the month's error budget used each hour."),
            (71, 29, 99, "71.0 % were accepted within 5 seconds. 4.02 % of the month's error budget used each hour."),
            (0, 7, 50, "0.0 % were accepted within 5 seconds. 0.27 % of the month's error budget used each hour."),
            (
                99_999, 1, 50,
                "99.9 % were accepted within 5 seconds. Less than 0.01 % of the month's error budget used each hour."
            ),
            (8, 0, 95, "100.0 % were accepted within 5 seconds. 0 % of the month's error budget used each hour."),
            (0, 0, 95, "There was no push in the last hour."),
        ] as [(Int64, Int64, Int64, String)]
    )
    func words(inTime: Int64, late: Int64, percent: Int64, text: String) {
        let item: StrictJSON = .object([
            "percent": .integer(percent), "withinSeconds": .integer(5),
            "slow": .object(["inTime": .integer(inTime), "late": .integer(late)]),
        ])
        #expect(ConsoleObjectives.words(item) == text)
    }
}
