internal import TextFormats

extension Problem {
    /// Appends the problem's JSON object.
    func write(to writer: inout JSONWriter, requestID: String) {
        writer.literal(#"{"type":"about:blank","title":"#)
        writer.string(title)
        writer.member("status", Int64(status))
        writer.member("detail", detail)
        writer.member("code", code.rawValue)
        writer.member("reason", reason)
        writer.member("claim", claim)
        writer.member("retryable", code.isRetryable)
        writer.member("requestId", requestID)
        if !errors.isEmpty { writer.array("errors", errors) { $0.fieldProblem($1) } }
        writer.literal("}")
    }
}

extension JSONWriter {
    /// Appends the error of one member.
    mutating func fieldProblem(_ problem: FieldProblem) {
        literal(#"{"pointer":"#)
        string(problem.pointer)
        member("detail", problem.detail)
        literal("}")
    }
}
