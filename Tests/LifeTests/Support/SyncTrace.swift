/// The `strace` of one request, to check that the commit was on disk before the response was sent.
struct SyncTrace {
    /// The positions of the steps in the trace, in the required order.
    private(set) var steps: [(name: String, line: Int?)] = []

    /// Finds the steps in lines of `strace -f -yy` with `fdatasync`, `pwrite64`, reads and writes.
    ///
    /// The marker is a text in the request and in the row that it creates.
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
        // The response's first byte is sent when the call starts.
        let response = calls.first {
            ["write", "writev", "sendto", "sendmsg"].contains($0.name) && $0.text.contains("TCP")
                && $0.text.contains("HTTP/1.1 202")
        }
        steps.append(("the answer leaves", response.map(\.begin)))
    }

    /// The first step that is missing or out of order; nil when the response waited for the disk.
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
        /// The line on which it starts, and the line of its result.
        var begin: Int
        var end: Int

        var succeeded: Bool { !text.contains(") = -1") && !text.contains("<unfinished ...>") }
    }

    /// Joins calls that are split by those of other threads.
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
