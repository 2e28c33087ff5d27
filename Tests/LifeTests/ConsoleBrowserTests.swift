import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The console as people use it, in a real browser, against a gateway with deliveries of each kind.
///
/// Pictures of each page are in `.build/screenshots`. With `SWITCHBOARD_PICTURES=DIRECTORY` those of the Console page are
/// replaced there.
@Suite("The console in a browser", .timeLimit(.minutes(20)))
struct ConsoleBrowserTests {
    @Test("every page works, is accessible, and shows stored scripts as text; by keyboard alone, and for each role")
    func pages() async throws {
        let directory = try TemporaryDirectory()
        let site = try await ConsoleSite.start(in: directory)
        try await Browser.use(in: directory) { browser in
            let visit = ConsoleVisit(site: site, browser: browser, inspector: try ConsoleInspector(browser))
            try await visit.signInByKeyboard()
            for brand in [ConsoleBrand.ordinary, .planted] { try await visit.tour(brand) }
            try await visit.signOut()
            try await visit.roles()
            try await visit.provider()
        }
        try await site.stop()
    }
}

/// The steps of a visit; each begins where the one before ended.
private struct ConsoleVisit {
    let site: ConsoleSite
    let browser: Browser
    let inspector: ConsoleInspector

    private func open(_ path: String) async throws { try await browser.open(site.gateway.url + "/console" + path) }

    private func open(_ brand: ConsoleBrand, _ path: String) async throws {
        try await open("/brands/\(brand.id)\(path)")
    }

    /// Returns the text of an element of the page.
    private func text(_ id: String) async throws -> String {
        try await browser.run("return document.getElementById(arguments[0])?.innerText ?? ''", [.string(id)]).plain
    }

    private func value(_ id: String) async throws -> String {
        try await browser.run("return document.getElementById(arguments[0]).value", [.string(id)]).plain
    }

    private func count(_ selector: String) async throws -> Int64? {
        try await browser.run("return document.querySelectorAll(arguments[0]).length", [.string(selector)]).integer
    }

    private func heading() async throws -> String {
        try await browser.run("return document.querySelector('h1').innerText").plain
    }

    private func type(_ name: String, _ password: String) async throws {
        try await browser.type(name, into: "#name")
        try await browser.type(password, into: "#password")
        try await browser.follow("#sign-in")
    }

    private func find(_ text: String) async throws {
        try await browser.type(text, into: "#search")
        try await browser.follow("#find")
    }

    // MARK: Signing in

    /// Signs in after a wrong password, and comes to a delivery, without a mouse.
    func signInByKeyboard() async throws {
        try await open("")
        try await inspector.look(at: "sign-in", as: "sign-in")
        try await type("ada", "<script>planted=16</script>")
        try await inspector.look(
            at: "wrong password",
            showing: ["The name or the password is wrong."],
            as: "sign-in-wrong"
        )

        try await open("")
        // The link that skips, then the name, the password and the button.
        try await browser.press([Browser.tab, Browser.tab] + "ada" + [Browser.tab])
        try await browser.press(ConsoleSite.password + [Browser.tab])
        #expect(try await browser.run("return document.activeElement.id") == "sign-in")
        try await browser.leave { try await browser.press([Browser.enter]) }
        let brands = [ConsoleBrand.ordinary.name, ConsoleBrand.planted.name]
        try await inspector.look(at: "brands", showing: brands, as: "brands")
        try await open("")
        try await browser.tab(to: #"a[href="/console/brands/acme/deliveries"]"#)
        try await browser.leave { try await browser.press([Browser.enter]) }
        try await browser.press([Browser.tab, Browser.enter])
        #expect(try await browser.run("return document.activeElement.id") == "main")
        try await browser.tab(to: "#delivery-list th a")
        try await browser.leave { try await browser.press([Browser.enter]) }
        #expect(try await text("verdict").contains("The provider accepted the push"))

        try await open("/sign-in?next=/console/brands/acme/lanes")
        try await browser.follow("#continue")
        #expect(try await heading() == "Lanes")
    }

    /// Signs out: the pages are no longer shown, not even from the browser's memory.
    func signOut() async throws {
        try await browser.follow("#sign-out")
        #expect(try await heading() == "Sign in")
        try await browser.back()
        #expect(try await heading() == "Sign in")
    }

    // MARK: The pages of a brand

    func tour(_ brand: ConsoleBrand) async throws {
        try await open("")
        try await browser.follow(#"a[href="/console/brands/\#(brand.id)/deliveries"]"#)
        try await deliveries(brand)
        try await delivery(brand)
        try await search(brand)
        try await lanes(brand)
        try await live(brand)
        try await reach(brand)
        try await rest(brand)
    }

    /// Looks at a page; pictures are taken of ordinary texts only.
    private func look(
        _ name: String,
        _ brand: ConsoleBrand,
        _ shown: [String],
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let isOrdinary = brand.id == ConsoleBrand.ordinary.id
        try await inspector.look(at: "\(brand.id): \(name)", showing: shown, as: isOrdinary ? name : nil, location)
    }

    /// The list, its pages, its histogram and its filters; ends at the failed delivery.
    private func deliveries(_ brand: ConsoleBrand) async throws {
        try await look("deliveries", brand, brand.consumers + brand.devices + [brand.id])
        let all = Int64(3 * (brand.more + 3) + 2)
        var shown = min(all, 20)
        #expect(try await count("#delivery-list tbody tr") == shown)
        while shown < all {
            try await browser.follow("#next")
            let rest = min(all - shown, 20)
            try #require(try await count("#delivery-list tbody tr") == rest)
            shown += rest
        }
        #expect(try await count("#next") == 0)
        try await browser.follow("#nav-deliveries")
        try await browser.follow("#histogram a")
        for id in ["since", "until"] { #expect(try await !value(id).isEmpty) }
        #expect(try await count("#delivery-list tbody tr") ?? 0 > 0)
        // A range is drawn over all bars.
        try await browser.follow("#nav-deliveries")
        try await browser.leave {
            _ = try await browser.run(
                """
                const chart = document.querySelector('#histogram svg'), box = chart.getBoundingClientRect();
                for (const [name, share] of [['pointerdown', 0.001], ['pointermove', 0.5], ['pointerup', 0.999]]) {
                  const place = { clientX: box.left + box.width * share, clientY: box.top + 1, bubbles: true };
                  chart.dispatchEvent(new PointerEvent(name, place));
                }
                """
            )
        }
        for id in ["since", "until"] { #expect(try await !value(id).isEmpty) }
        #expect(try await count("#delivery-list tbody tr") == min(all, 20))

        try await browser.follow("#nav-deliveries")
        try await browser.type(brand.consumers[1], into: "#consumer")
        try await browser.type("failed", into: "#state")
        try await browser.follow("#apply")
        #expect(try await count("#delivery-list td.state") == 1)
        #expect(try await value("consumer") == brand.consumers[1])
        #expect(try await value("state") == "failed")
        try await look("deliveries-filtered", brand, [brand.consumers[1], "413 PayloadTooLarge"])
        try await browser.follow("#delivery-list th a")
    }

    /// A delivery that failed: its verdict, the failures of its kind, another attempt, and what the phone shows.
    private func delivery(_ brand: ConsoleBrand) async throws {
        let verdict = "The provider rejected the push (413 PayloadTooLarge). At fault: you."
        try await look("delivery", brand, [verdict, brand.consumers[1], brand.devices[2], "queued", "sent"])
        try await browser.follow("#nav-failures")
        try await look("failures", brand, ["Failures of the last day: 1.", "PayloadTooLarge"])
        try await browser.follow("#rehearse")
        try await look("replay", brand, ["1 of 1 failures would be sent again.", "PayloadTooLarge"])
        #expect(try await count("#replay") == 1)
        try await browser.follow("#back")
        try await browser.follow("#failure-list td a")
        try await browser.follow("#retry")
        try await site.finished(brand, of: 1, count: 1)
        try await browser.reload()
        #expect(try await text("verdict").contains("The provider accepted the push"))
        #expect(try await text("timeline").contains("for the next attempt"))
        #expect(try await count("#retry") == 0)

        try await browser.type("Ticket 4711 \(brand.conversation)", into: "#reason")
        try await browser.follow("#reveal")
        try await look("phone", brand, [brand.text, brand.nickname, "of 4096 bytes"])
        #expect(try await count("#payload") == 1)
        #expect(try await text("message").contains(brand.text))
        try await browser.follow("#back")
        try await browser.follow("#consumer")
        #expect(try await text("profile").contains(brand.consumers[1]))

        // The provider's words.
        let other = try #require(try await site.deliveries(brand, of: 2).first?["id"].string)
        try await open(brand, "/deliveries/\(other)")
        #expect(try await text("facts").contains(brand.providerID))
    }

    /// From a name to its page; the consumer, and why a message came or did not.
    private func search(_ brand: ConsoleBrand) async throws {
        try await find(brand.consumers[0])
        let shown = brand.profile + brand.devices.prefix(2) + [brand.consumers[0], brand.conversation]
        try await look("consumer", brand, shown)
        try await browser.follow("#explain")
        let devices = Array(brand.devices.prefix(2))
        try await look("explanation", brand, devices + ["The message was pushed to 3 of 3 devices."])
        try await find(brand.devices[1])
        #expect(try await count("#hits tbody tr") == 2)
        try await look("search", brand, [brand.devices[1], brand.consumers[0]])
        try await find("nothing " + brand.text)
        #expect(try await text("hits") == "Found: none.")
        #expect(try await value("q") == "nothing " + brand.text)
        try await look("search-nothing", brand, [])
    }

    /// Pauses a lane, and looks at what waits; ends with the lane paused.
    private func lanes(_ brand: ConsoleBrand) async throws {
        try await browser.follow("#nav-lanes")
        try await browser.follow("[id='pause-android:fcm:production']")
        #expect(try await heading() == "Lanes")
        try await site.post("w-1", to: 2, of: brand)
        try await browser.follow("#nav-lanes")
        try await browser.type("500", into: "[id='pace-ios:apns:production']")
        try await browser.follow("[id='set-pace-ios:apns:production']")
        let paced = "Nothing waits; pushes leave as they come, at most 500 a second, as an operator set it."
        try await look("lanes", brand, ["An operator paused it", paced])
        try await browser.follow("#nav-deliveries")
        try await browser.follow("#delivery-list th a")
        try await look("delivery-waiting", brand, ["The lane does not send now.", "pending", brand.devices[3]])
    }

    /// Deliveries as they change, with a pause, and resumes the lane.
    private func live(_ brand: ConsoleBrand) async throws {
        func rows(_ count: Int) -> String { "document.getElementById('tail').tBodies[0].rows.length === \(count)" }
        /// Of each message to the three devices the one for Android waits.
        func messages(_ count: Int) -> String {
            "\(rows(3 * count)) && document.querySelectorAll('#tail td.accepted').length === \(2 * count)"
        }
        func status(_ part: String) -> String { "document.getElementById('status').textContent.includes('\(part)')" }
        try await browser.follow("#nav-tail")
        try await browser.wait(until: status("Connected."))
        // Two iPhones; the lane of Android is paused.
        try await site.post("l-1", to: 0, of: brand)
        try await browser.wait(until: messages(1))
        try await browser.click("#pause")
        try await site.post("l-2", to: 0, of: brand)
        let waits = "/Paused, [3-9] waiting/.test(document.getElementById('status').textContent)"
        try await browser.wait(until: waits)
        try await browser.wait(until: messages(1))
        try await browser.click("#pause")
        try await browser.wait(until: messages(2))
        try await look("live", brand, [brand.consumers[0], brand.devices[0], brand.devices[1], "Connected."])
        try await browser.follow("#tail tbody a")
        #expect(try await heading().hasPrefix("Delivery "))
        try await browser.follow("#nav-tail")
        try await browser.wait(until: status("Connected."))
        try await site.post("l-3", to: 0, of: brand)
        try await browser.wait(until: messages(1))
        try await browser.click("#clear")
        try await browser.wait(until: rows(0))

        try await browser.follow("#nav-lanes")
        try await browser.follow("[id='resume-android:fcm:production']")
        #expect(try await count("[id='pause-android:fcm:production']") == 1)
        try await site.finished(brand, of: 2, count: 2)
    }

    /// The brand's objective, and the consumer whom no push reaches: the one of Android has logged out.
    private func reach(_ brand: ConsoleBrand) async throws {
        try await browser.follow("#nav-objectives")
        try await look("objectives-none", brand, ["The brand has no objective."])
        try await site.meetObjective(brand)
        try await browser.reload()
        let shown = ["within 10 seconds.", "100.0 % were accepted", "3 of 3", "ios", "android"]
        try await look("objectives", brand, shown)
        #expect(try await count("#objective-list svg") == 3)
        try await site.unregister(brand)
        try await browser.follow("#nav-unreachable")
        try await browser.type("0", into: "#unreadOlderThanHours")
        try await browser.follow("#apply")
        try await look("unreachable", brand, [brand.consumers[2]])
        try await browser.follow("#unreachable-list th a")
        #expect(try await text("profile").contains(brand.consumers[2]))
    }

    /// The audit trail, and the page of an error.
    private func rest(_ brand: ConsoleBrand) async throws {
        try await browser.follow("#nav-calendar")
        try await look("calendar", brand, ["ios", "android", "without an end"])
        try await browser.follow("#nav-audit")
        let actions = ["lane.resumed", "lane.paused", "lane.paced", "message.revealed", "delivery.retried", "ada"]
        try await look("audit", brand, actions + ["Ticket 4711 \(brand.conversation)"])
        try await open(brand, "/deliveries/%3Cscript%3Eplanted=17%3C%2Fscript%3E")
        try await look("error", brand, ["Back to the console"])
        try await browser.follow("#home")
        #expect(try await heading() == "Brands")
    }

    // MARK: Roles

    /// Signs in with each role that is not an administrator's, and compares what the pages offer.
    func roles() async throws {
        let brand = ConsoleBrand.ordinary
        let delivery = try #require(try await site.deliveries(brand, of: 1).first?["id"].string)
        for (name, offers, consumer) in [
            ("vera", "", "Forbidden"), ("sue", "reveal", "Consumer"), ("olga", "reveal pause", "Consumer"),
        ] {
            try await type(name, ConsoleSite.password)
            #expect(try await count("#brand-list tbody tr") == 1, "\(name)")
            try await open(brand, "/deliveries/\(delivery)")
            var offered: [String] = []
            if try await count("#reveal") == 1 { offered.append("reveal") }
            try await open(brand, "/lanes")
            if try await count("[name=pause]") ?? 0 > 0 { offered.append("pause") }
            if try await count("#nav-audit") == 1 { offered.append("audit") }
            #expect(offered.joined(separator: " ") == offers, "\(name)")
            try await open(brand, "/consumers/u-1")
            #expect(try await heading() == consumer, "\(name)")
            try await open(brand, "/deliveries")
            try await browser.follow("#sign-out")
        }
    }

    /// Signs in at an identity provider of another site, where the browser sends the session's cookie to no page to which
    /// it is led back; and again without a role.
    func provider() async throws {
        try await site.person(roles: ["viewer@acme"])
        try await open("/sign-in?next=/console/brands/acme/lanes")
        try await browser.click("#provider")
        // By a page in between.
        try await browser.wait(until: "document.querySelector('h1').innerText === 'Lanes'")
        try await browser.follow("#sign-out")
        try await site.person(roles: [])
        try await browser.follow("#provider")
        try await inspector.look(at: "no role", showing: ["You have no role here"])
    }
}
