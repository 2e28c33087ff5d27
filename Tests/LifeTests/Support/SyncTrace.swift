/// What `strace` saw of one request: whether the commit was on disk before its answer left.
struct SyncTrace {
    /// Where in the trace each step stands, in the order in which they must come.
    private(set) var steps: [(name: String, line: Int?)] = []

    /// Looks the steps up.
    ///
    /// - Parameters:
    ///   - lines: The lines of `strace -f -yy` with `fdatasync`, `pwrite64`, reads and writes.
    ///   - marker: A text that stands in the request and in the row that it makes.
    init(_ lines: [String], marker: String) {
        let calls = Self.calls(lines)
        var from = 0
        func find(_ name: String, _ isIt: (Call) -> Bool) {
            let found = calls.first { $0.begin >= from && isIt($0) }
            steps.append((name, found?.end))
            if let found { from = found.end + 1 }
        }
        find("the request is read") {
            $0.name.hasPrefix("re") && $0.text.contains("TCP") && $0.text.contains(marker) && $0.succeeded
        }
        find("the row is written to the log") {
            $0.name == "pwrite64" && $0.text.contains("-wal>") && $0.text.contains(marker) && $0.succeeded
        }
        find("the log is synced") { $0.name == "fdatasync" && $0.text.contains("-wal>") && $0.succeeded }
        // The answer's first byte is on its way when the call begins.
        let answer = calls.first {
            ["write", "writev", "sendto", "sendmsg"].contains($0.name) && $0.text.contains("TCP")
                && $0.text.contains("HTTP/1.1 202")
        }
        steps.append(("the answer leaves", answer.map(\.begin)))
    }

    /// The first step that is missing or out of order; nil when the answer waited for the disk.
    var fault: String? {
        var last = -1
        for step in steps {
            guard let line = step.line, line > last else { return step.name }
            last = line
        }
        return nil
    }

    private struct Call {
        var name: String
        var text: String
        /// The line on which it begins, and on which its result stands.
        var begin: Int
        var end: Int

        var succeeded: Bool { !text.contains(") = -1") && !text.contains("<unfinished ...>") }
    }

    /// Joins calls that other threads' ones cut in two.
    private static func calls(_ lines: [String]) -> [Call] {
        var calls: [Call] = []
        var unfinished: [Substring: Int] = [:]
        for (number, line) in lines.enumerated() {
            guard let space = line.firstIndex(of: " ") else { continue }
            let thread = line[..<space]
            let rest = line[space...].drop { $0 == " " }
            if rest.hasPrefix("<... "), let index = unfinished.removeValue(forKey: thread) {
                calls[index].end = number
                calls[index].text = calls[index].text.replacing("<unfinished ...>", with: "") + rest
            } else if let parenthesis = rest.firstIndex(of: "(") {
                if rest.hasSuffix("<unfinished ...>") { unfinished[thread] = calls.count }
                calls.append(
                    Call(name: String(rest[..<parenthesis]), text: String(rest), begin: number, end: number)
                )
            }
        }
        return calls
    }
}
