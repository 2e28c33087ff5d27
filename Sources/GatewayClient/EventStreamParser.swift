/// One event of a `text/event-stream`.
package struct StreamEvent: Equatable, Sendable {
    /// The last value of `id:`; nil when there was none.
    var id: String?
    /// The event type; `message` when the block has no `event:` field.
    var type: String
    /// The `data:` lines, joined by line breaks.
    package var data: String
}

/// Reads a `text/event-stream` piece by piece (WHATWG HTML section 9.2.6).
struct EventStreamParser {
    /// The longest line in bytes; a longer one means that the stream is not from a gateway.
    static let maxLineBytes = 1 << 20

    /// The error for a line above ``maxLineBytes``.
    struct TooLong: Error {}

    private var line: [UInt8] = []
    private var endedInReturn = false
    private var id: String?
    private var type = ""
    private var data: [String] = []
    /// The server's `retry:` in milliseconds before a new connection; nil when there was none.
    private(set) var retryMilliseconds: Int?
    /// The `Last-Event-ID` for a new connection: the id of the last block, an event or a heartbeat; nil when none had
    /// one.
    private(set) var lastEventID: String?

    /// Parses the next bytes, split anywhere, and returns the events that are complete now.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [StreamEvent] {
        var events: [StreamEvent] = []
        for byte in bytes {
            let afterReturn = endedInReturn
            endedInReturn = false
            switch byte {
            case UInt8(ascii: "\n") where afterReturn: continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endedInReturn = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                guard line.count < Self.maxLineBytes else { throw TooLong() }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> StreamEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        let text = String(decoding: line, as: UTF8.self)
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        var value = colon == text.endIndex ? "" : text[text.index(after: colon)...]
        if value.first == " " { value.removeFirst() }
        switch text[..<colon] {
        case "data": data.append(String(value))
        case "event": type = String(value)
        case "id": if !value.utf8.contains(0) { id = String(value) }
        case "retry":
            if let number = Int(value), (0...3_600_000).contains(number) { retryMilliseconds = number }
        // A comment, or a field of a later version.
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> StreamEvent? {
        defer {
            type = ""
            data = []
        }
        lastEventID = id
        guard !data.isEmpty else { return nil }
        return StreamEvent(id: id, type: type.isEmpty ? "message" : type, data: data.joined(separator: "\n"))
    }
}
