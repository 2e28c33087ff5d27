import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The web variant of CCAI Platform in a real browser: what a page may call is decided by the browser, not by the test.
@Suite("A page in a browser", .timeLimit(.minutes(10)))
struct BrowserTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Signs a payload for the consumer of its session, exchanges the token, and reads the unread count.
    private static let page = """
        <!doctype html>
        <meta charset="utf-8">
        <title>Web variant</title>
        <pre id="result"></pre>
        <script>
          const settings = new URLSearchParams(location.hash.slice(1));
          async function call(path, headers, body) {
            const response = await fetch(settings.get("gateway") + path, {
              method: body ? "POST" : "GET",
              headers: { "Content-Type": "application/json", ...headers },
              body: body && JSON.stringify(body),
            });
            const json = await response.json();
            if (!response.ok) throw new Error(response.status + " " + json.error.code);
            return json;
          }
          (async () => {
            try {
              const bearer = (token) => ({ Authorization: "Bearer " + token });
              const payload = { payload: { name: "Ann" } };
              const signed = await call("/api/ccaip/sign", bearer(settings.get("session")), payload);
              const key = { "X-SDK-Key-Name": settings.get("key") };
              const session = await call("/v1/ccaip/auth/token", key, { token: signed.token });
              const { unread } = await call("/v1/brands/acme/unread", bearer(session.auth_token));
              return session.end_user.id + ", unread " + unread;
            } catch (error) {
              return error.message;
            }
          })().then((text) => { document.getElementById("result").textContent = text; });
        </script>
        """

    /// Opens an address, and returns what the page wrote once nothing is in progress any more.
    private func open(_ address: String) async throws -> String {
        let profile = directory.path("profile-\(UUID().uuidString)")
        let browser = try ChildProcess(
            "/usr/bin/chromium",
            [
                // Root, as which containers run tests, has no sandbox. Time stands still while a request is in progress.
                "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom",
                "--user-data-dir=\(profile)", address,
            ],
            environment: ["HOME": profile]
        )
        #expect(try await browser.ended().status == 0)
        let text = browser.output.joined(separator: "\n")
        let result = try #require(text.components(separatedBy: #"<pre id="result">"#).dropFirst().first, "\(text)")
        return result.components(separatedBy: "</pre>")[0]
    }

    @Test("R40 R192: a page of an allowed origin signs and exchanges; a page of another one can read nothing")
    func page() async throws {
        let site = directory.path("site")
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        try Self.page.write(toFile: site + "/page.html", atomically: true, encoding: .utf8)
        let server = try ChildProcess(
            "/usr/bin/python3",
            ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", site]
        )
        let started = try await server.line("Serving HTTP on 127.0.0.1 port ")
        let port = try #require(started.split(separator: " ").first)

        let gateway = try await GatewayProcess.start(in: directory)
        let settings: JSONValue = [
            "wire": ["ccai": true], "allowedOrigins": [.string("http://127.0.0.1:\(port)")],
        ]
        let brand: JSONValue = ["id": "acme", "name": "Acme", "settings": settings]
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: brand)
        let key: JSONValue = ["kind": "sdkKey", "name": "sdk", "algorithm": "HS256"]
        _ = try await gateway.admin.call("POST", ["v1", "brands", "acme", "credentials"], body: key)
        let session = try await gateway.session("page-user")
        func address(_ host: String, key: String = "sdk", session other: String? = nil) -> String {
            "http://\(host):\(port)/page.html#gateway=\(gateway.url)&key=\(key)&session=\(other ?? session)"
        }

        #expect(try await open(address("127.0.0.1")) == "page-user, unread 0")
        // Errors are readable, too: the page's initialisation fails with what the gateway states.
        #expect(try await open(address("127.0.0.1", key: "other")) == "401 token_invalid")
        #expect(try await open(address("127.0.0.1", session: "none")) == "401 token_invalid")
        // The same page, served to the same browser under another name.
        #expect(try await open(address("localhost")) == "Failed to fetch")
        #expect(try await gateway.process.stop().status == 0)
        _ = try await server.stop()
    }
}
