import Foundation
import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The pages of the console", .timeLimit(.minutes(10)))
struct ConsolePageTests {
    /// A script, as a browser would run it, and as a page must write it.
    private static let (script, harmless) = ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;")
    private static let lane = "/brands/acme/lanes/ios:apns:production"

    private static func with(_ test: @escaping @Sendable (API) async throws -> Void) async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            try await test(api)
        }
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Makes one delivery that the provider rejects, with a text from outside wherever one can be.
    private static func fail(_ api: API, _ planted: String) async throws -> (delivery: String, message: String) {
        let session = try await api.makeSession(encoded(planted))
        let device = try await api.register(encoded(planted), as: session, token: "bad0")
        try #require(device.status == 201, "\(device.text)")
        let more = #","title":"\#(planted)","agent":{"id":"a","nickname":"\#(planted)"},"data":{"k":"\#(planted)"}"#
        let posted = try await api.post("e-1", consumer: planted, conversation: planted, more: more)
        let reply = try await api.until {
            try await api.call(.get, "/v1/brands/acme/deliveries?state=failed")
        } holds: {
            $0["items"]?.items.count == 1
        }
        let delivery = try #require(reply["items"]?[0]?["id"]?.string)
        return (delivery, try #require(posted["messageId"]?.string))
    }

    @Test("a script in an id, a name, a text, a reason or a parameter is text on every page")
    func script() async throws {
        try await Self.with { api in
            try await api.makeOperator("root", "admin")
            let root = try await api.signIn("root")
            let (delivery, message) = try await Self.fail(api, Self.script)
            for table in ["delivery_log", "attempts"] {
                try await api.execute("UPDATE \(table) SET reason = '\(Self.script)'")
            }
            let id = Self.encoded(Self.script)
            let named = try await api.call(.patch, "/v1/brands/acme", #"{"name":"\#(Self.script)"}"#)
            try #require(named.status == 200)
            let profile = #"{"name":"\#(Self.script)","email":"\#(Self.script)"}"#
            try #require(try await api.call(.patch, "/v1/brands/acme/consumers/\(id)", profile).status == 200)
            let brand = "/brands/acme"
            let reveal = try await api.submit(
                brand + "/deliveries/\(delivery)/reveal",
                of: root,
                ["reason": Self.script]
            )
            reveal.expectPage(200)
            #expect(reveal.text.contains("<strong>\(Self.harmless)</strong>"))
            #expect(reveal.text.contains(#"<pre id="payload">{"#), "\(reveal.text)")
            let pages = [
                "", brand + "/deliveries", brand + "/deliveries?consumer=\(id)&reason=\(id)&device=\(id)",
                brand + "/deliveries/\(delivery)", brand + "/failures", brand + "/tail?consumer=\(id)",
                brand + "/audit",
                brand + "/search?q=%20\(id)&source=\(id)", brand + "/consumers/\(id)",
                brand + "/consumers/\(id)/explain?message=\(message)",
            ]
            for path in pages {
                let page = try await api.open(path, of: root)
                page.expectPage(200)
                #expect(!page.text.contains(Self.script), "\(path)")
                #expect(page.text.contains(Self.harmless), "\(path): \(page.text)")
            }
            for path in [
                brand + "/deliveries?state=\(id)", brand + "/deliveries?since=\(id)",
                brand + "/deliveries?cursor=\(id)",
                brand + "/lanes?cursor=\(id)", "/brands/\(id)/deliveries", brand + "/consumers/\(id)x",
                brand + "/deliveries/\(id)", brand + "/consumers/\(id)/explain?at=\(id)",
            ] {
                let page = try await api.open(path, of: root)
                page.expectPage(page.status)
                #expect([404, 422].contains(page.status) && !page.text.contains(Self.script), "\(path): \(page.text)")
            }
        }
    }

    @Test("a delivery has its verdict, its history and what a role may do; a retry leads back to it")
    func delivery() async throws {
        try await Self.with { api in
            try await api.makeOperator("olga", "operator@acme")
            let olga = try await api.signIn("olga")
            let (delivery, _) = try await Self.fail(api, "u-1")
            let path = "/brands/acme/deliveries/\(delivery)"
            let page = try await api.open(path, of: olga)
            page.expectPage(200)
            #expect(page.text.contains("The provider rejected the push (400 TopicDisallowed)."))
            #expect(page.text.contains("At fault: you."))
            for step in ["queued", "sent", "failed"] { #expect(page.text.contains(#"<th scope="row">\#(step)</th>"#)) }
            #expect(page.text.contains("for the lane, or for the end of quiet hours"))
            #expect(page.text.contains(#"<button id="retry">"#) && page.text.contains(#"<button id="reveal">"#))
            let consumer = try await api.open("/brands/acme/consumers/u-1", of: olga)
            consumer.expectPage(200)
            let last = #"<td><a href="/console\#(path)">failed</a> 400 TopicDisallowed</td>"#
            #expect(consumer.text.contains(last), "\(consumer.text)")
            #expect(consumer.text.contains("<caption>Newest sessions</caption>"))
            let session = try await api.makeSession()
            #expect(try await api.register("u-1", as: session, token: "aabb").status < 300)
            try await api.submit(path + "/retry", of: olga, csrf: "x").expectPage(403)
            try await api.submit(path + "/retry", of: olga).expectRedirection(to: "/console" + path)
            _ = try await api.until {
                try await api.call(.get, "/v1" + path)
            } holds: {
                $0["state"]?.string == "accepted"
            }
            let done = try await api.open(path, of: olga)
            done.expectPage(200)
            #expect(done.text.contains("The provider accepted the push") && !done.text.contains(#"id="retry""#))
            #expect(done.text.contains("for the next attempt"))
            try await api.submit(path + "/retry", of: olga).expectPage(409)
            let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
            let retried = trail.filter { $0["action"]?.string == "delivery.retried" }
            #expect(retried.map { $0["actor"]?["id"]?.string } == ["olga"])
        }
    }

    @Test("a message is shown to those who may see it, for a reason that is audited")
    func reveal() async throws {
        try await Self.with { api in
            try await api.makeOperator("sue", "support@acme")
            try await api.makeOperator("vera", "viewer@acme")
            let (sue, vera) = (try await api.signIn("sue"), try await api.signIn("vera"))
            let (delivery, message) = try await Self.fail(api, "u-1")
            let path = "/brands/acme/deliveries/\(delivery)"
            #expect(try await api.open(path, of: sue).text.contains(#"<button id="reveal">"#))
            #expect(try await !api.open(path, of: vera).text.contains(#"id="reveal""#))
            try await api.submit(path + "/reveal", of: vera, ["reason": "ticket"]).expectPage(403)
            try await api.submit(path + "/reveal", of: sue, ["reason": ""]).expectPage(422)
            try await api.submit(path + "/reveal", of: sue, csrf: vera.csrf, ["reason": "ticket"]).expectPage(403)
            let shown = try await api.submit(path + "/reveal", of: sue, ["reason": "ticket 4711"])
            shown.expectPage(200)
            #expect(shown.text.contains("<p>hello</p>") && shown.text.contains("hello&quot;"))
            #expect(shown.text.contains("bytes. Left out or shortened: nothing."))
            #expect(!shown.text.contains(#"id="send""#), "only administrators send")
            let templates = #"{"settings":{"templates":{"agent":{"de":{"title":"Neue Nachricht"}}}}}"#
            try #require(try await api.call(.patch, "/v1/brands/acme", templates).status == 200)
            let german = try await api.submit(path + "/reveal", of: sue, ["reason": "ticket 4711", "locale": "de"])
            german.expectPage(200)
            #expect(german.text.contains("Neue Nachricht") && !shown.text.contains("Neue Nachricht"))
            let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
            let revealed = trail.filter { $0["action"]?.string == "message.revealed" }
            #expect(revealed.map { $0["target"]?.string } == [message, message])
            #expect(revealed.map { $0["reason"]?.string } == ["ticket 4711", "ticket 4711"])
        }
    }

    @Test("an administrator sends the push to a device at hand; it is audited, and nothing is stored or counted")
    func ownDevice() async throws {
        try await Self.with { api in
            try await api.makeOperator("ann", "admin@acme")
            try await api.makeOperator("olga", "operator@acme")
            let (ann, olga) = (try await api.signIn("ann"), try await api.signIn("olga"))
            let (delivery, _) = try await Self.fail(api, "u-1")
            let path = "/brands/acme/deliveries/\(delivery)"
            let shown = try await api.submit(path + "/reveal", of: ann, ["reason": "a \(Self.script)"])
            shown.expectPage(200)
            #expect(shown.text.contains(#"<button id="send">"#) && shown.text.contains(#"value="a \#(Self.harmless)""#))
            func fields(_ token: String, _ environment: String = "sandbox") -> [String: String] {
                ["reason": "a test", "token": token, "environment": environment]
            }
            let sent = try await api.submit(path + "/send", of: ann, fields("AABB"))
            sent.expectPage(200)
            #expect(sent.text.contains("The provider accepted the push") && !sent.text.contains("hello"))
            let rejected = try await api.submit(path + "/send", of: ann, fields("bad0"))
            rejected.expectPage(200)
            #expect(rejected.text.contains("(TopicDisallowed)"))
            for wrong in [fields("x y"), fields(""), fields(Self.script), fields("AABB", Self.script)] {
                let page = try await api.submit(path + "/send", of: ann, wrong)
                page.expectPage(422)
                #expect(!page.text.contains(Self.script) && !page.text.contains("hello"))
            }
            try await api.submit(path + "/send", of: ann, csrf: olga.csrf, fields("AABB")).expectPage(403)
            let refused = try await api.submit(path + "/send", of: olga, fields("AABB"))
            refused.expectPage(403)
            #expect(!refused.text.contains("hello"))
            let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
            let checks = trail.filter { $0["action"]?.string == "app.self_checked" }
            #expect(checks.map { $0["actor"]?["id"]?.string } == ["ann", "ann"])
            let deliveries = try await api.call(.get, "/v1/brands/acme/deliveries")
            #expect(deliveries["items"]?.items.map { $0["id"]?.string } == [delivery])
        }
    }

    @Test("a role sees its pages and its controls only, with what the API leaves out, in its brand")
    func roles() async throws {
        try await Self.with { api in
            try await api.makeBrand("other")
            try await api.post("e-1")
            let profile = #"{"name":"Ann Example","email":"ann@mail.example","phone":"5550100"}"#
            try #require(try await api.call(.patch, "/v1/brands/acme/consumers/u-1", profile).status == 200)
            let brand = "/brands/acme"
            for (role, consumer, audit, pause) in [
                ("viewer", 403, 403, 403), ("support", 200, 403, 403), ("operator", 200, 403, 303),
                ("admin", 200, 200, 303),
            ] {
                try await api.makeOperator("the-" + role, role + "@acme")
                let page = try await api.signIn("the-" + role)
                let lanes = try await api.open(brand + "/lanes", of: page)
                lanes.expectPage(200)
                #expect(lanes.text.contains("Nothing waits; pushes leave as they come."))
                #expect(lanes.text.contains(#"id="nav-audit""#) == (audit == 200), "\(role)")
                #expect(lanes.text.contains(#"name="pause""#) == (pause == 303), "\(role)")
                let profile = try await api.open(brand + "/consumers/u-1", of: page)
                profile.expectPage(consumer)
                #expect(profile.text.contains("ann@mail.example") == (role == "admin"), "\(role)")
                #expect(profile.text.contains("5550100") == (role == "admin"), "\(role)")
                try await api.open(brand + "/audit", of: page).expectPage(audit)
                let list = try await api.open(brand + "/deliveries?state=failed", of: page).text
                let file = #"href="/v1/brands/acme/deliveries/export?state=failed&amp;format=csv" download"#
                #expect(list.contains(file) == (role == "admin"), "\(role)")
                let paused = try await api.submit(Self.lane + "/pause", of: page)
                #expect(paused.status == pause, "\(role): \(paused.text)")
                for view in ["/deliveries", "/failures", "/lanes", "/audit", "/search?q=a", "/consumers/u-1"] {
                    try await api.open("/brands/other" + view, of: page).expectPage(404)
                }
                let foreign = Self.lane.replacing("/acme/", with: "/other/") + "/pause"
                try await api.submit(foreign, of: page).expectPage(404)
                try #require(try await api.call(.post, "/v1\(Self.lane)/resume").status == 200)
            }
        }
    }

    @Test("a lane is paused and resumed by forms, and its sentence follows; both are audited")
    func lanes() async throws {
        try await Self.with { api in
            try await api.makeOperator("olga", "operator@acme")
            let olga = try await api.signIn("olga")
            try await api.submit(Self.lane + "/pause", of: olga, csrf: "").expectPage(403)
            try await api.submit(Self.lane + "/pause", of: olga).expectRedirection(to: "/console/brands/acme/lanes")
            let paused = try await api.open("/brands/acme/lanes", of: olga)
            paused.expectPage(200)
            #expect(paused.text.contains("An operator paused it at \(api.clock.now.rfc3339)"))
            #expect(paused.text.contains(#"id="resume-ios:apns:production""#))
            try await api.submit(Self.lane + "/resume", of: olga).expectRedirection(to: "/console/brands/acme/lanes")
            #expect(try await !api.open("/brands/acme/lanes", of: olga).text.contains("An operator paused it"))
            try await api.submit("/brands/acme/lanes/x:apns:production/pause", of: olga).expectPage(404)
            let pace = Self.lane + "/pace"
            try await api.submit(pace, of: olga, csrf: "", ["pushesPerSecond": "9"]).expectPage(403)
            for text in ["<script>", "0", "1e3", "-5", " 7", "99999999999999999999"] {
                let page = try await api.submit(pace, of: olga, ["pushesPerSecond": text])
                page.expectPage(422)
                #expect(!page.text.contains("<script>"))
            }
            try await api.submit(pace, of: olga, ["pushesPerSecond": "250"])
                .expectRedirection(to: "/console/brands/acme/lanes")
            let paced = try await api.open("/brands/acme/lanes", of: olga).text
            #expect(paced.contains("at most 250 a second") && paced.contains(#"value="250""#))
            try await api.submit(pace, of: olga, ["pushesPerSecond": ""])
                .expectRedirection(to: "/console/brands/acme/lanes")
            #expect(try await !api.open("/brands/acme/lanes", of: olga).text.contains("at most"))
            let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
            let changes = trail.filter { $0["actor"]?["id"]?.string == "olga" }.map { $0["action"]?.string }
            #expect(changes == ["lane.paced", "lane.paced", "lane.resumed", "lane.paused"])
        }
    }

    @Test("the list is filtered and paged by its URL; a page of the longest ids is small; its histogram leads to parts")
    func list() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            let long = String(repeating: "'", count: 256)
            let session = try await api.makeSession(Self.encoded(long))
            try #require(try await api.register(Self.encoded(long), as: session, token: "bad0").status == 201)
            func post(_ numbers: ClosedRange<Int>) async throws {
                let events = numbers.map {
                    """
                    {"id":"e-\($0)","type":"agent.message","consumer":"\(long)","conversation":"c-1","text":"hello"}
                    """
                }
                let body = "[\(events.joined(separator: ","))]"
                try #require(try await api.call(.post, "/v1/brands/acme/events", body).status == 202)
                _ = try await api.until {
                    try await api.call(.get, "/v1/brands/acme/deliveries?limit=100")
                } holds: {
                    $0["items"]?.items.count == numbers.upperBound
                }
            }
            try await post(1...1)
            let start = api.clock.now
            api.clock.advance(seconds: 160)
            try await post(2...21)
            let path = "/brands/acme/deliveries"
            let filter = "?consumer=\(Self.encoded(long))&device=\(Self.encoded(long))"
            let first = try await api.open(path + filter + "&state=&since=", of: vera)
            first.expectPage(200)
            #expect(first.text.matches(of: /<tr><th scope="row">/).count == 20)
            #expect(first.text.contains("The newest 21 deliveries of the filter"))
            #expect(first.text.matches(of: /<a href="[^"]*">\n<title>/).count == 2)
            #expect(first.text.contains("since=\(Self.component(start.rfc3339))"))
            // What the script needs to draw a range; and no command, whose filters would make the page large.
            #expect(first.text.contains(#"data-bars="16" data-first="\#(start.milliseconds)""#))
            #expect(first.text.contains(#"<rect id="brush""#) && !first.text.contains(#"id="copy-curl""#))
            let next = try #require(first.text.firstMatch(of: /<a id="next" rel="next" href="([^"]*)">/)?.output.1)
            let second = try await api.open(
                String(next.dropFirst("/console".count)).replacing("&amp;", with: "&"),
                of: vera
            )
            second.expectPage(200)
            #expect(second.text.matches(of: /<tr><th scope="row">/).count == 1 && !second.text.contains(#"id="next""#))
            #expect(second.text.contains(start.rfc3339))
            let cursor = try #require(next.split(separator: "cursor=").last)
            for wrong in ["x", "\(cursor)x", String(cursor.dropLast()), "\(cursor)&cursor=\(cursor)"] {
                try await api.open(path + filter + "&cursor=\(wrong)", of: vera).expectPage(422)
            }
            try await api.open(path + "?state=failed&cursor=\(cursor)", of: vera).expectPage(422)
            try await api.open(path + "?consumer=" + Self.encoded(long + "'"), of: vera).expectPage(422)
            let none = try await api.open(path + "?state=tapped", of: vera)
            none.expectPage(200)
            #expect(none.text.contains("Deliveries, newest first: none."))
            #expect(none.text.contains("<option selected>tapped"))
            let head = try await api.call(.head, "/console" + path, as: .none, headers: [.cookie: vera.cookie])
            #expect(head.status == 200 && head.text.isEmpty)
        }
    }

    private static func component(_ text: String) -> String { text.replacing(":", with: "%3A") }

    @Test("failures are grouped, with their reasons and times, and lead to their deliveries")
    func failures() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            let (delivery, _) = try await Self.fail(api, "u-1")
            let page = try await api.open("/brands/acme/failures", of: vera)
            page.expectPage(200)
            #expect(page.text.contains("Failures of the last day: 1."))
            #expect(page.text.contains("<td>TopicDisallowed</td>"))
            let all = "/console/brands/acme/deliveries?state=failed&amp;provider=apns&amp;reason=TopicDisallowed"
            #expect(page.text.contains(#"<a href="\#(all)">all</a>"#))
            #expect(page.text.contains(#"<a href="/console/brands/acme/deliveries/\#(delivery)">"#))
            try await api.open("/brands/acme/failures?since=yesterday", of: vera).expectPage(422)
        }
    }

    @Test("the search leads from any id to the page of what has it, which the role may see")
    func search() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            try await api.makeOperator("sue", "support@acme")
            let (vera, sue) = (try await api.signIn("vera"), try await api.signIn("sue"))
            let (delivery, message) = try await Self.fail(api, "u 1/2+3")
            let brand = "/console/brands/acme"
            let consumer = "u%201%2F2%2B3"
            for (query, target) in [
                (message, "/deliveries?message=\(message)"), (delivery, "/deliveries/\(delivery)"),
                ("bad0", "/consumers/\(consumer)"), ("e-1&consumer=u+1%2F2%2B3", "/deliveries?message=\(message)"),
            ] {
                try await api.open("/brands/acme/search?q=\(query)", of: sue).expectRedirection(to: brand + target)
            }
            try await api.open("/brands/acme/search?q=bad0", of: vera)
                .expectRedirection(to: brand + "/deliveries?device=\(consumer)")
            let search = "/brands/acme/search"
            try await api.submit(search, of: sue, ["q": "bad0"]).expectRedirection(to: brand + "/consumers/\(consumer)")
            try await api.submit(search, of: sue, ["q": "bad0"], headers: [.secFetchSite: "cross-site"]).expectPage(403)
            try await api.submit(search, of: sue, ["q": ""]).expectPage(422)
            let many = try await api.submit(search, of: sue, ["q": "u 1/2+3"])
            many.expectPage(200)
            #expect(many.text.contains(#"<table id="hits">"#))
            // The consumer and its device have one id.
            let both = try await api.open("/brands/acme/search?q=u+1%2F2%2B3", of: sue)
            both.expectPage(200)
            #expect(both.text.matches(of: /<tr><th scope="row">/).count == 2)
            let nothing = try await api.open("/brands/acme/search?q=nothing", of: sue)
            nothing.expectPage(200)
            #expect(nothing.text.contains("Found: none."))
            try await api.open("/brands/acme/search", of: sue).expectPage(422)
            let target = try await api.open("/brands/acme/consumers/\(consumer)", of: sue)
            target.expectPage(200)
            #expect(target.text.contains("<dd>u 1/2+3</dd>"))
        }
    }

    @Test("why nothing came is explained for a consumer, the last message or a given one")
    func why() async throws {
        try await Self.with { api in
            try await api.makeOperator("sue", "support@acme")
            let sue = try await api.signIn("sue")
            let (delivery, message) = try await Self.fail(api, "u-1")
            for query in ["", "?message=\(message)", "?message=&at="] {
                let page = try await api.open("/brands/acme/consumers/u-1/explain" + query, of: sue)
                page.expectPage(200)
                #expect(page.text.contains("The message was pushed to no device."))
                #expect(page.text.contains(#"<a href="/console/brands/acme/deliveries/\#(delivery)">"#))
                #expect(!page.text.contains("hello"))
            }
            let before = Self.encoded(api.clock.now.adding(seconds: -90_000).rfc3339)
            let early = try await api.open("/brands/acme/consumers/u-1/explain?at=\(before)", of: sue)
            early.expectPage(200)
            #expect(early.text.contains("No message to the consumer was accepted at that time"))
            try await api.open("/brands/acme/consumers/nobody/explain", of: sue).expectPage(404)
        }
    }

    @Test("the live page names the stream of its filter, which the operator's cookie opens")
    func tail() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            let page = try await api.open("/brands/acme/tail?state=failed&consumer=u+1&device=", of: vera)
            page.expectPage(200)
            let stream = "/v1/brands/acme/deliveries/tail?consumer=u%201&amp;state=failed"
            #expect(page.text.contains(#"data-stream="\#(stream)&amp;unfinished=true""#), "\(page.text)")
            #expect(page.text.contains(#"data-page="/console/brands/acme/deliveries/""#))
            #expect(page.text.contains("The stream samples:"))
            let command = "switchboard deliveries acme --follow --consumer=&#39;u 1&#39; --state=failed</pre>"
            #expect(page.text.contains(#"<pre id="command">\#(command)"#), "\(page.text)")
            let curl = "&quot;$SWITCHBOARD_SERVER&quot;&#39;\(stream)&#39;</pre>"
            #expect(page.text.contains(#"<pre id="curl">curl -N -H "#) && page.text.contains(curl))
            let script = try await api.open("/assets/tail.js", of: vera).text
            for id in ["tail", "pause", "status", "clear"] {
                #expect(script.contains("getElementById('\(id)')") && page.text.contains(#" id="\#(id)""#))
            }
            for part in ["innerHTML", "insertAdjacent", "document.write", "eval(", "outerHTML"] {
                #expect(!script.contains(part))
            }
        }
    }

    @Test(
        "a word of a shell's command is one word, whatever is in it",
        arguments: [
            ("acme", "acme"), ("a b", "'a b'"), ("x'; rm -rf ~ #", #"'x'\''; rm -rf ~ #'"#),
            ("$(id)`id`", "'$(id)`id`'"), ("é", "'é'"), ("a\nb", "'a\nb'"), ("'\u{301}", #"''\''\#u{301}'"#),
        ]
    )
    func shell(word: String, quoted: String) {
        #expect(ConsoleDeliveries.quoted(word).utf8.elementsEqual(quoted.utf8))
    }

    @Test("every explanation has a fault and an advice; of a rejection they depend on the provider's status")
    func verdicts() {
        for code in DeviceExplanation.Code.allCases {
            let verdict = code.verdict(nil)
            #expect(["nobody", "you", "you or the provider", "the provider", "the device"].contains(verdict.fault))
            #expect(verdict.advice.hasSuffix("."), "\(code)")
        }
        let code = DeviceExplanation.Code.failed
        let faults = [400, 401, 403, 404, 410, 413, 429, 500, 503].map { code.verdict($0).fault }
        let (device, provider) = ("the device", "the provider")
        #expect(faults == ["you", "you", "you", device, device, "you", provider, provider, provider])
    }

    @Test(
        "values in HTML are escaped, also in attributes; markup is not",
        arguments: [
            ("<b>", "&lt;b&gt;"), (#"" x='1'"#, "&quot; x=&#39;1&#39;"), ("&amp;", "&amp;amp;"), ("é😀", "é😀"), ("", ""),
        ]
    )
    func escape(text: String, escaped: String) {
        let html: HTML = #"<p title="\#(text)">\#(text)</p>"#
        #expect(String(decoding: html.bytes, as: UTF8.self) == #"<p title="\#(escaped)">\#(escaped)</p>"#)
    }
}
