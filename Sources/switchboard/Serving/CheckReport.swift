import Gateway
import GatewayClient
import PushProviders

/// The report of `check`: one result per line.
struct CheckReport {
    /// Whether each line is a JSON object.
    let json: Bool
    private var failures = 0

    /// Starts a report; with `json` each line is a JSON object.
    init(json: Bool) { self.json = json }

    /// Prints a result.
    ///
    /// - Parameters:
    ///   - subject: The item that was checked.
    ///   - isGood: Whether it can be used.
    ///   - text: The finding, without secrets.
    mutating func say(_ subject: String, _ isGood: Bool, _ text: String) {
        if !isGood { failures += 1 }
        write(isGood ? "ok  " : "BAD ", ["subject": .string(subject), "ok": .bool(isGood), "text": .string(text)])
    }

    /// Prints a warning: the item can be used but should be changed; the report does not fail.
    ///
    /// - Parameters:
    ///   - subject: The item that was checked.
    ///   - text: The finding and what to do, without secrets.
    func warn(_ subject: String, _ text: String) {
        write("WARN", ["subject": .string(subject), "ok": true, "warning": true, "text": .string(text)])
    }

    /// Prints a finding about the host or the data.
    mutating func say(_ finding: CheckFinding) {
        if finding.level == .warning {
            warn(finding.subject, finding.text)
        } else {
            say(finding.subject, finding.level == .ok, finding.text)
        }
    }

    /// Prints the verdict about a connection, with what to do about it.
    mutating func say(_ subject: String, _ verdict: PushProviderVerdict) {
        say(subject, verdict.isUsable, verdict.advice.map { "\(verdict.text): \($0)" } ?? verdict.text)
    }

    private func write(_ verdict: String, _ line: JSONValue) {
        StandardOutput.write(json ? line.text : "\(verdict) \(line["subject"].plain): \(line["text"].plain)")
    }

    /// Ends the report; throws ``CommandFailure`` when a check failed.
    func end() throws {
        guard failures == 0 else { throw CommandFailure(.failure, "\(failures) of the checks failed") }
    }
}
