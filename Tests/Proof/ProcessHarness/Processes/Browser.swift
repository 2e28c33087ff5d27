package import Foundation
package import GatewayClient

/// A Chromium without a window, driven over WebDriver (W3C; the commands below `goog/cdp` are Chromium's own).
package struct Browser: Sendable {
    /// Keys by their code points (W3C WebDriver, "Keyboard actions").
    package static let (tab, enter): (Character, Character) = ("\u{E004}", "\u{E007}")

    private static let (driver, program) = ("/usr/bin/chromedriver", "/usr/bin/chromium")

    private let client: APIClient
    private let session: [String]

    /// Whether Debian's `chromium` and `chromium-driver` are installed.
    package static var isInstalled: Bool {
        [driver, program].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts one, runs some work with it, and stops it, also after an error.
    package static func use<Value>(
        in directory: TemporaryDirectory,
        _ work: (Browser) async throws -> Value
    ) async throws -> Value {
        let driver = try ChildProcess(Self.driver, ["--port=0"], environment: ["HOME": directory.path])
        let port = try await driver.line("ChromeDriver was started successfully on port ").prefix { $0 != "." }
        let client = APIClient(server: "http://127.0.0.1:\(port)")
        let options: JSONValue = [
            "binary": .string(program),
            // Root, as which containers run tests, has no sandbox.
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                .string("--user-data-dir=" + directory.path("profile")),
            ],
        ]
        // An element is waited for; each bound is below that of the client.
        let bounds: JSONValue = ["implicit": 30_000, "pageLoad": 50_000, "script": 50_000]
        let wanted: JSONValue = ["alwaysMatch": ["timeouts": bounds, "goog:chromeOptions": options]]
        let made = try value(of: try await client.exchange("POST", ["session"], body: ["capabilities": wanted]))
        guard let id = made["sessionId"].string else { throw HarnessError("the browser has no session") }
        let browser = Browser(client: client, session: ["session", id])
        let result: Result<Value, any Error>
        do {
            // Before any script of a page.
            let recorder = """
                window.violations = [];
                document.addEventListener('securitypolicyviolation', (event) => {
                  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
                });
                """
            try await browser.tool("Page.addScriptToEvaluateOnNewDocument", ["source": .string(recorder)])
            result = .success(try await work(browser))
        } catch {
            result = .failure(error)
        }
        // Without it the browser would outlive its driver.
        _ = try? await browser.command("DELETE", [])
        _ = try? await driver.stop(within: .seconds(30))
        return try result.get()
    }

    // MARK: Commands

    @discardableResult
    private func command(_ method: String, _ name: [String], _ body: JSONValue? = nil) async throws -> JSONValue {
        try Self.value(of: try await client.exchange(method, session + name, body: body))
    }

    private static func value(of response: APIClient.Response) throws -> JSONValue {
        let value = response.body["value"]
        guard response.status == 200 else {
            throw HarnessError("the browser: \(value["error"].plain): \(value["message"].plain.prefix(500))")
        }
        return value
    }

    /// Calls a method of the DevTools protocol.
    @discardableResult
    package func tool(_ name: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await command("POST", ["goog", "cdp", "execute"], ["cmd": .string(name), "params": parameters])
    }

    /// Runs the body of a function in the page, and returns its value.
    @discardableResult
    package func run(_ script: String, _ arguments: [JSONValue] = []) async throws -> JSONValue {
        try await command("POST", ["execute", "sync"], ["script": .string(script), "args": .array(arguments)])
    }

    /// Waits until an expression is true in the page.
    package func wait(until condition: String) async throws {
        let deadline = ContinuousClock.now + .seconds(180)
        var last = "false"
        while ContinuousClock.now < deadline {
            // A page that is being left runs no script.
            do {
                last = try await run("return \(condition)").text
            } catch {
                last = "\(error)"
            }
            if last == "true" { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("waited in vain until \(condition): \(last)")
    }

    // MARK: What a person does

    /// Opens an address.
    package func open(_ address: String) async throws { try await command("POST", ["url"], ["url": .string(address)]) }

    /// Loads the page again.
    package func reload() async throws { try await leave { try await command("POST", ["refresh"], [:]) } }

    /// Returns to the page before.
    package func back() async throws { try await leave { try await command("POST", ["back"], [:]) } }

    /// Clicks the first element of a CSS selector.
    package func click(_ selector: String) async throws {
        try await command("POST", try await element(selector) + ["click"], [:])
    }

    /// Clicks a link or a button that leads to a page, and waits for it.
    package func follow(_ selector: String) async throws { try await leave { try await click(selector) } }

    /// Does what leads to a page, and waits for it.
    package func leave(_ act: () async throws -> Void) async throws {
        try await run("window.isLeft = true")
        try await act()
        try await wait(until: "window.isLeft === undefined && document.readyState === 'complete'")
    }

    /// Types into a field, or chooses an option that begins with the text.
    package func type(_ text: String, into selector: String) async throws {
        try await command("POST", try await element(selector) + ["value"], ["text": .string(text)])
    }

    /// Presses and releases keys, one after the other, for whatever has the focus.
    package func press(_ keys: some Sequence<Character>) async throws {
        let actions = keys.flatMap { key -> [JSONValue] in
            ["keyDown", "keyUp"].map { ["type": .string($0), "value": .string(String(key))] }
        }
        let keyboard: JSONValue = ["type": "key", "id": "keyboard", "actions": .array(actions)]
        try await command("POST", ["actions"], ["actions": [keyboard]])
    }

    /// Presses Tab until an element of a CSS selector has the focus.
    package func tab(to selector: String) async throws {
        for _ in 0..<100 {
            try await press([Self.tab])
            let isThere = try await run("return document.activeElement.matches(arguments[0])", [.string(selector)])
            if isThere == true { return }
        }
        throw HarnessError("100 times Tab do not lead to \(selector)")
    }

    private func element(_ selector: String) async throws -> [String] {
        let found = try await command(
            "POST",
            ["element"],
            ["using": "css selector", "value": .string(selector)]
        )
        guard let id = found.members.values.first?.string else { throw HarnessError("\(selector) has no id") }
        return ["element", id]
    }

    // MARK: The window

    /// Sets the width in pixels, and whether the person prefers `light` or `dark` pages.
    package func show(width: Int64, scheme: String) async throws {
        let size: JSONValue = ["width": .integer(width), "height": 800, "deviceScaleFactor": 1, "mobile": false]
        try await tool("Emulation.setDeviceMetricsOverride", size)
        let preference: JSONValue = ["name": "prefers-color-scheme", "value": .string(scheme)]
        try await tool("Emulation.setEmulatedMedia", ["features": [preference]])
    }

    /// Returns the page as PNG, from its top to its end or a height in pixels.
    package func picture(width: Int64, height limit: Int64) async throws -> Data {
        let end = try await run("return Math.ceil(document.body.getBoundingClientRect().bottom + scrollY)").integer
        let clip: JSONValue = [
            "x": 0, "y": 0, "width": .integer(width), "height": .integer(min(end ?? limit, limit)), "scale": 1,
        ]
        let shot: JSONValue = ["format": "png", "captureBeyondViewport": true, "clip": clip]
        let picture = try await tool("Page.captureScreenshot", shot)["data"].plain
        guard let data = Data(base64Encoded: picture) else { throw HarnessError("the picture is not base64") }
        return data
    }
}
