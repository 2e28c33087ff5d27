import AsyncHTTPClient
import GatewayClient
import ProcessHarness

/// The first paint of each page of the console in a real browser, compared with that of `/livez`, which is a line of text.
///
/// No page of the server is empty, and the first contentful paint (Paint Timing) needs some content. A browser draws sixty
/// times a second (16.7 ms), and rounds the time to 4 ms; therefore each page is loaded often, in turns with the others.
struct FirstPaintScenario {
    /// How often each page is loaded.
    var loads: Int
    /// The limit: the first paint as a multiple of that of `/livez`.
    var ratioLimit = 1.5
    /// The limit: what a page loads, with style and script, in KB.
    var sizeLimit = 100.0

    private static let name = "first paint"
    /// The consumers with a device, the first of which the provider rejects, and some without.
    private static let (reachable, consumers, eventsOfEach) = (200, 250, 2)
    private static let password = "correct horse battery staple"

    /// A load of a page.
    private struct Load {
        /// The milliseconds from the start of the navigation to the first contentful paint.
        var milliseconds: Double
        /// The bytes that were loaded, from the server or from the browser's memory.
        var bytes: Double
    }

    /// Runs it on a fresh installation.
    ///
    /// - Parameter http: An HTTP client.
    /// - Returns: The figures; none without a browser.
    /// - Throws: ``HarnessError`` when a page is not shown.
    func run(http: HTTPClient) async throws -> Report {
        guard Browser.isInstalled else {
            var report = Report()
            report.add(Self.name, "Chromium (not installed: apt-get install chromium chromium-driver)", 0, "")
            return report
        }
        return try await Installation.use(quiet: true) { installation in
            let pages = try await prepare(installation, http)
            return try await Browser.use(in: installation.directory) { browser in
                try await measure(pages, browser, installation.gateway.url)
            }
        }
    }

    // MARK: The installation

    /// Makes deliveries of several kinds, an objective and an operator; returns the paths of the pages.
    private func prepare(_ installation: Installation, _ http: HTTPClient) async throws -> [String] {
        let brand = "/v1/brands/\(Installation.brand)"
        let authorization = try await installation.configure(http: http, consumers: Self.reachable)
        let objective = #"{"settings":{"objective":{"percent":95,"withinSeconds":10}}}"#
        try await installation.call(http, "PATCH", brand, objective)
        let rule =
            #"[{"match":{"provider":"apns","tokenPrefix":"\#(Installation.token(0))"},"#
            + #""do":{"status":413,"reason":"PayloadTooLarge"}}]"#
        try await installation.simulator.setRules(rule, http)
        let range = 0..<Self.consumers
        let events = BatchedEvents(installation, http: http, authorization: authorization, consumers: range)
        try await events.post(Self.consumers * Self.eventsOfEach)
        try await installation.waitForPushes((Self.reachable - 1) * Self.eventsOfEach, http)
        let failed = try await failures(installation, http, brand)
        let operators = #"{"name":"ada","password":"\#(Self.password)","roles":[{"role":"admin"}]}"#
        try await installation.call(http, "POST", "/v1/operators", operators)
        let pages = [
            "deliveries", "deliveries/\(failed)", "failures", "tail", "lanes", "objectives",
            "unreachable?unreadOlderThanHours=0", "audit", "search?q=nothing", "consumers/consumer-1",
            "consumers/consumer-1/explain",
        ]
        return ["/console"] + pages.map { "/console/brands/\(Installation.brand)/\($0)" }
    }

    /// Waits until all rejected deliveries have failed; returns the number of one.
    private func failures(_ installation: Installation, _ http: HTTPClient, _ brand: String) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let page = try await installation.call(http, "GET", brand + "/deliveries?state=failed")
            let ids = (page["items"] as? [[String: Any]])?.compactMap { $0["id"] as? String } ?? []
            if ids.count == Self.eventsOfEach, let id = ids.first { return id }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("the rejected deliveries did not fail within a minute")
    }

    // MARK: The browser

    private func measure(_ pages: [String], _ browser: Browser, _ server: String) async throws -> Report {
        let signIn = "/console/sign-in"
        var results: [String: [Load]] = [:]
        // Nobody is signed in yet.
        var text: [Load] = []
        for _ in 0...loads {
            text.append(try await open("/livez", browser, server))
            results[signIn, default: []].append(try await open(signIn, browser, server))
        }
        let beforeSignIn = milliseconds(text)
        try await browser.type("ada", into: "#name")
        try await browser.type(Self.password, into: "#password")
        try await browser.follow("#sign-in")
        text = []
        let replay = "/console/brands/\(Installation.brand)/failures/replay"
        for _ in 0...loads {
            text.append(try await open("/livez", browser, server))
            for page in pages { results[page, default: []].append(try await open(page, browser, server)) }
            // The dry run is the response to a form.
            try await browser.open(server + "/console/brands/\(Installation.brand)/failures")
            try await browser.follow("#rehearse")
            results[replay, default: []].append(try await load(of: replay, browser))
        }
        let usual = milliseconds(text)
        var report = Report()
        report.add(Self.name, "/livez, median of \(loads)", usual, "ms")
        for page in [signIn] + pages + [replay] {
            let found = results[page] ?? []
            let ratio = milliseconds(found) / (page == signIn ? beforeSignIn : usual)
            report.add(Self.name, page, ratio, "x", atMost: ratioLimit)
            let size = (found.map(\.bytes).max() ?? 0) / 1e3
            report.add(Self.name, "\(page), loaded", size, "KB", atMost: sizeLimit)
        }
        return report
    }

    /// Returns the median of loads without the first, for which the browser is cold.
    private func milliseconds(_ loads: [Load]) -> Double { loads.dropFirst().map(\.milliseconds).median }

    private func open(_ path: String, _ browser: Browser, _ server: String) async throws -> Load {
        try await browser.open(server + path)
        return try await load(of: path, browser)
    }

    /// Returns the load of the page that is shown; throws ``HarnessError`` when it is another one, or an error.
    private func load(of path: String, _ browser: Browser) async throws -> Load {
        // It may be painted after it is complete.
        try await browser.wait(until: "performance.getEntriesByName('first-contentful-paint').length === 1")
        // What the browser had already was not transferred again; its body counts.
        let script = """
            const [page] = performance.getEntriesByType('navigation');
            const loaded = [page, ...performance.getEntriesByType('resource')];
            const bytes = loaded.reduce((sum, entry) => sum + Math.max(entry.transferSize, entry.encodedBodySize), 0);
            const [paint] = performance.getEntriesByName('first-contentful-paint');
            return [location.pathname + location.search, page.responseStatus, Math.round(paint.startTime * 1000), bytes];
            """
        let found = try await browser.run(script).items
        guard found.count == 4, found[0].plain == path, found[1].integer == 200, let time = found[2].integer,
            let bytes = found[3].integer, time > 0, bytes > 0
        else { throw HarnessError("\(path) is not shown, but \(found.map(\.plain))") }
        return Load(milliseconds: Double(time) / 1e3, bytes: Double(bytes))
    }
}
