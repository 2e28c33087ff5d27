/// Verdicts, a line each.
struct CheckReport {
    /// Whether each line is a JSON object.
    let json: Bool
    private var failures = 0

    /// Starts a report.
    ///
    /// - Parameter json: Whether each line is a JSON object.
    init(json: Bool) { self.json = json }

    /// Prints a verdict.
    ///
    /// - Parameters:
    ///   - subject: What was looked at.
    ///   - isGood: Whether it can be used.
    ///   - text: What was found, without secrets.
    mutating func say(_ subject: String, _ isGood: Bool, _ text: String) {
        if !isGood { failures += 1 }
        if json {
            let line: JSONValue = ["subject": .string(subject), "ok": .bool(isGood), "text": .string(text)]
            StandardOutput.write(line.text)
        } else {
            StandardOutput.write("\(isGood ? "ok  " : "BAD ") \(subject): \(text)")
        }
    }

    /// Ends the report.
    ///
    /// - Throws: ``CommandFailure`` when a verdict was bad.
    func end() throws {
        guard failures == 0 else { throw CommandFailure(.failure, "\(failures) of the checks failed") }
    }
}
