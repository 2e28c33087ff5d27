import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Looks at the page that a browser shows: light, dark and narrow.
struct ConsoleInspector {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// Windows: their names, their widths in pixels, and the scheme of colours that is preferred.
    private static let windows: [(name: String, width: Int64, scheme: String)] = [
        ("dark", 1000, "dark"), ("narrow", 400, "light"), ("light", 1000, "light"),
    ]
    /// Roles without a name mean nothing to whoever only hears the page.
    private static let named: Set<String> = [
        "button", "combobox", "link", "navigation", "region", "searchbox", "table", "textbox",
    ]

    private let browser: Browser
    private let checks: String
    /// The directory of the pictures, which git ignores.
    private let pictures = root.appending(path: ".build/screenshots")
    /// The directory of the documentation's pictures, if they are to be replaced.
    private let documentation = ProcessInfo.processInfo.environment["SWITCHBOARD_PICTURES"].map { URL(filePath: $0) }

    init(_ browser: Browser) throws {
        self.browser = browser
        checks = try String(contentsOf: Self.root.appending(path: "Tests/Interop/page_checks.js"), encoding: .utf8)
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
    }

    /// Checks the page: contrast, labels, landmarks, width, weight, and that no stored text is markup.
    ///
    /// The texts of `shown` are on it. With a name its pictures are stored, and its keyboard and its names are checked.
    func look(
        at page: String,
        showing shown: [String] = [],
        as name: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        for window in Self.windows {
            try await browser.show(width: window.width, scheme: window.scheme)
            let wrong = try await browser.run(checks).items.map(\.plain)
            #expect(wrong.isEmpty, "\(page), \(window.name): \(wrong)", sourceLocation: location)
            guard let name else { continue }
            let picture = try await browser.picture(width: window.width, height: 1600)
            try picture.write(to: pictures.appending(path: "\(name)-\(window.name).png"))
        }
        let text = try await browser.run("return document.body.innerText").plain
        for part in shown { #expect(text.contains(part), "\(page) lacks \(part): \(text)", sourceLocation: location) }
        guard let name else { return }
        if let file = documentation?.appending(path: "console-\(name).png"),
            FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
        {
            try await browser.picture(width: 1000, height: 640).write(to: file)
        }
        try await expectNames(page, location)
        try await expectFocus(page, location)
    }

    /// Checks that all that a screen reader announces by role and name has a name.
    private func expectNames(_ page: String, _ location: SourceLocation) async throws {
        let nodes = try await browser.tool("Accessibility.getFullAXTree")["nodes"].items
        let announced = nodes.filter { $0["ignored"] != true && Self.named.contains($0["role"]["value"].plain) }
        #expect(!announced.isEmpty, "\(page)", sourceLocation: location)
        let nameless = announced.filter { $0["name"]["value"].plain.isEmpty }.map { $0["role"]["value"].plain }
        #expect(nameless.isEmpty, "\(page) has \(nameless) without a name", sourceLocation: location)
    }

    /// Checks that Tab visits every control in the order of the page, and that each shows that it has the focus.
    private func expectFocus(_ page: String, _ location: SourceLocation) async throws {
        let stops = try await browser.run(
            """
            window.stops = [...document.querySelectorAll('a[href], button, input, select, [tabindex="0"]')]
              .filter((element) => element.getClientRects().length > 0);
            window.reached = [];
            document.addEventListener('focusin', ({ target }) => {
              const style = getComputedStyle(target), box = target.getBoundingClientRect();
              const isMarked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
              window.reached.push([target, isMarked && box.width > 0 && box.right > 0]);
            });
            // From the top, whatever had the focus.
            document.body.tabIndex = -1;
            document.body.focus();
            document.body.removeAttribute('tabindex');
            window.reached.length = 0;
            return window.stops.length;
            """
        )
        let count = Int(try #require(stops.integer))
        try await browser.press(Array(repeating: Browser.tab, count: count))
        let missed = try await browser.run(
            """
            return window.stops.filter((element, index) => {
              const [target, isMarked] = window.reached[index] ?? [];
              return target !== element || !isMarked;
            }).map((element) => element.outerHTML.slice(0, 150));
            """
        )
        #expect(missed == [], "\(page): not reached in order, or not marked: \(missed.text)", sourceLocation: location)
    }
}
