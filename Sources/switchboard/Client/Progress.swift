import Foundation

/// Says on standard error how far long work is: when that is a terminal, or when it is asked to.
struct Progress {
    private let isShown: Bool
    private let isTerminal: Bool
    private var lastShown: ContinuousClock.Instant?

    /// How often a terminal's line is written anew, and how often a file gets a line.
    private var interval: Duration { isTerminal ? .milliseconds(200) : .seconds(2) }

    /// Shows nothing to pipes and files that did not ask.
    ///
    /// - Parameter isAsked: Whether it is to be shown anyway.
    init(isAsked: Bool) {
        isTerminal = isatty(STDERR_FILENO) == 1
        isShown = isAsked || isTerminal
    }

    /// Says how far it is, unless it has just done so.
    ///
    /// - Parameters:
    ///   - text: How far.
    ///   - isLast: Whether the work is done, which is always said.
    mutating func say(_ text: @autoclosure () -> String, isLast: Bool = false) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if !isLast, let lastShown, lastShown.duration(to: now) < interval { return }
        lastShown = now
        guard isTerminal else { return StandardError.write("switchboard: \(text())") }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text())\(isLast ? "\n" : "")".utf8))
    }
}
