internal import CSimdjson

/// The reason for which a text is not an event at all.
struct EventParseError {
    /// The error for this text alone.
    let problem: Problem
    /// Whether a JSON text that contains it is invalid too.
    let spoilsText: Bool

    static let malformed = Problem.unreadable("The text is not valid JSON.")
    static let tooLarge = Problem(
        .payloadTooLarge,
        "An event must have at most \(EventParser.maxEventBytes) bytes."
    )

    /// Translates the parser's error; `members` contains its position, if it has one.
    init(status: event_status, members: UnsafePointer<event_members>) {
        let within = members.pointee.fault_in_payload ? ["data"] : []
        switch status {
        case EVENT_ENCODING:
            problem = .unreadable("The text is not valid UTF-8.")
            spoilsText = true
        case EVENT_DEPTH:
            problem = .unreadable("The JSON nests deeper than \(EventParser.maxDepth) levels.")
            spoilsText = false
        case EVENT_NUMBER:
            if let name = members.pointee.fault.string {
                problem = Problem(invalid: FieldProblem.pointer(within + [name]), "is out of range")
            } else {
                problem = .unreadable("A number is out of range.")
            }
            spoilsText = false
        case EVENT_NOT_OBJECT:
            problem = .unreadable("The JSON must be an object.")
            spoilsText = false
        case EVENT_DUPLICATE:
            let path = [members.pointee.fault_parent.string, members.pointee.fault.string].compactMap(\.self)
            problem = Problem(invalid: FieldProblem.pointer(within + path), "appears more than once")
            spoilsText = false
        case EVENT_TOO_LARGE:
            problem = Self.tooLarge
            spoilsText = false
        case EVENT_MEMORY:
            problem = Problem(.overloaded, "There is not enough memory to parse the event.", retryAfterSeconds: 1)
            spoilsText = false
        default:
            problem = Self.malformed
            spoilsText = true
        }
    }
}
