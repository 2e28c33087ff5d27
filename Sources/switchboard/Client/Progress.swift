import Foundation
import GatewayClient

/// Prints the progress of long work on standard error, if that is a terminal or the user asked for it.
struct Progress {
    private let isShown: Bool
    private let isTerminal: Bool
    private var lastShown: ContinuousClock.Instant?

    /// The interval at which a terminal's line is updated, or a file gets a new line.
    private var interval: Duration { isTerminal ? .milliseconds(200) : .seconds(2) }

    /// Creates progress output, which is silent for pipes and files unless asked for.
    init(isAsked: Bool) {
        isTerminal = isatty(STDERR_FILENO) == 1
        isShown = isAsked || isTerminal
    }

    /// Prints the progress, at most once per interval.
    ///
    /// - Parameters:
    ///   - text: The progress as text.
    ///   - isLast: Whether the work is done; this is always printed.
    mutating func say(_ text: @autoclosure () -> String, isLast: Bool = false) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if !isLast, let lastShown, lastShown.duration(to: now) < interval { return }
        lastShown = now
        guard isTerminal else { return StandardError.write("switchboard: \(text())") }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text())\(isLast ? "\n" : "")".utf8))
    }
}
