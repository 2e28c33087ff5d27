import ArgumentParser
import Foundation
import GatewayClient

/// A live view of a gateway.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show lanes and rates of a running gateway, again and again.",
        discussion: """
            Reads the metrics every few seconds. With --brand it also lists that brand's lanes with their state. \
            Without a terminal, with --once and with --json it prints one snapshot and ends; rates are those of one \
            interval. --json prints one object.

            EXAMPLES
              switchboard top --brand acme
              switchboard top --json --interval 10
            """
    )
    @OptionGroup var options: ClientOptions
    @Option(help: "Also list the lanes of this brand.") var brand: String?
    @Option(help: ArgumentHelp("The seconds between two readings, 1 to 3600.", valueName: "seconds"))
    var interval = 2
    @Flag(help: "Print one snapshot and end.") var once = false

    func validate() throws {
        guard (1...3600).contains(interval) else { throw ValidationError("--interval must be 1 to 3600 seconds.") }
    }

    func run() async throws {
        let client = try options.client()
        let isLive = !once && !options.json && isatty(STDOUT_FILENO) == 1
        let interruption = isLive ? Interruption() : nil
        defer { withExtendedLifetime(interruption) {} }
        var before = try await TopReading.read(client)
        while true {
            try await Task.sleep(for: .seconds(interval))
            let after: TopReading
            let snapshot: TopSnapshot
            do {
                after = try await TopReading.read(client)
                snapshot = TopSnapshot(before, after, lanes: try await lanes(client))
            } catch let failure as CommandFailure where isLive {
                // A restart of the gateway is what one wants to watch.
                draw(failure.message.split(separator: "\n").map { TextTable.printable(String($0)) })
                continue
            }
            before = after
            if options.json { return StandardOutput.write(snapshot.json.text) }
            let size = TerminalSize.current
            let lines = TopView.lines(snapshot, width: size.columns, now: Date.now.timeIntervalSince1970)
            guard isLive else { return StandardOutput.write(lines.joined(separator: "\n")) }
            draw(Array(lines.prefix(size.rows - 1)))
        }
    }

    private func lanes(_ client: APIClient) async throws -> [JSONValue]? {
        guard let brand else { return nil }
        return try await client.call("GET", ["v1", "brands", brand, "lanes"], query: [("limit", "500")]).body["items"]
            .items
    }

    /// Replaces what the terminal shows: home, each line with the rest of it erased, then what is below
    /// (ECMA-48: CUP, EL, ED).
    private func draw(_ lines: [String]) {
        let text = lines.map { $0 + "\u{1B}[K\n" }.joined()
        FileHandle.standardOutput.write(Data("\u{1B}[H\(text)\u{1B}[J".utf8))
    }
}

/// The size of the terminal of standard output.
struct TerminalSize {
    /// The number of characters in a line, and of lines.
    var columns, rows: Int

    /// The size now; 80 by 24 without a terminal, or of one that does not report it.
    static var current: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 1 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
