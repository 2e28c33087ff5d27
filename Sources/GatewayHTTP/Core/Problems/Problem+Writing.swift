internal import TextFormats

extension Problem {
    /// Appends the problem's JSON object.
    ///
    /// - Parameters:
    ///   - writer: The writer to append to.
    ///   - requestID: The request's id.
    func write(to writer: inout JSONWriter, requestID: String) {
        writer.literal(#"{"type":"about:blank","title":"#)
        writer.string(title)
        writer.literal(#","status":"#)
        writer.integer(Int64(status))
        writer.literal(#","detail":"#)
        writer.string(detail)
        writer.literal(#","code":"#)
        writer.string(code.rawValue)
        if let reason {
            writer.literal(#","reason":"#)
            writer.string(reason)
        }
        writer.literal(#","retryable":"#)
        writer.boolean(code.isRetryable)
        writer.literal(#","requestId":"#)
        writer.string(requestID)
        if !errors.isEmpty {
            writer.literal(#","errors":["#)
            for (index, error) in errors.enumerated() {
                if index > 0 { writer.literal(",") }
                writer.fieldProblem(error)
            }
            writer.literal("]")
        }
        writer.literal("}")
    }
}

extension JSONWriter {
    /// Appends the error of one member.
    mutating func fieldProblem(_ problem: FieldProblem) {
        literal(#"{"pointer":"#)
        string(problem.pointer)
        literal(#","detail":"#)
        string(problem.detail)
        literal("}")
    }
}
