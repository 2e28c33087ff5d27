internal import TextFormats

/// A text of the brand's setting `campaignTemplates`, with placeholders such as `{{1}}` (ComingFromLivePerson page).
struct CampaignTemplate {
    private enum Part {
        case text(ArraySlice<UInt8>)
        case variable(BoundedName)
    }

    private var parts: [Part] = []
    private var names: Set<BoundedName> = []

    /// The maximum length of ids, as LivePerson has it, and of placeholders' names.
    private static let maxNameBytes = 32
    static let idRule = "must be named with 1 to \(maxNameBytes) letters, digits, \".\", \"_\" or \"-\""
    static let rule = "must have 1 to \(maxNameBytes) letters, digits or \"_\", and }}, after each {{"

    /// Returns whether a text is a template's id.
    static func isID(_ text: String) -> Bool {
        (1...maxNameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// Parses a template; nil when `{{` begins no placeholder.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        var start = 0
        var place = 0
        while place < bytes.count {
            guard bytes[place...].starts(with: "{{".utf8) else {
                place += 1
                continue
            }
            let name = bytes[(place + 2)...].prefix(while: Self.isNameByte)
            guard (1...Self.maxNameBytes).contains(name.count), bytes[name.endIndex...].starts(with: "}}".utf8) else {
                return nil
            }
            let variable = BoundedName(known: String(decoding: name, as: UTF8.self))
            parts += [.text(bytes[start..<place]), .variable(variable)]
            names.insert(variable)
            place = name.endIndex + 2
            start = place
        }
        parts.append(.text(bytes[start...]))
    }

    /// Returns the text for a recipient.
    ///
    /// - Parameters:
    ///   - variables: The values of the placeholders.
    ///   - limit: The maximum length of the text in bytes.
    /// - Returns: The text; never empty.
    /// - Throws: The `errorMessage` of LivePerson's API for the first wrong variable; `INVALID_TEXT`, which is the
    ///   gateway's own, for a text that is empty, too long or contains U+0000.
    func text(_ variables: StrictJSON.Members, atMost limit: Int) throws(RecipientRejection) -> String {
        for name in names.sorted() {
            guard let value = variables[name] else { throw RecipientRejection("MISSING_VARIABLE=" + name.text) }
            if value.text == nil { throw RecipientRejection("VARIABLE_NOT_STRING=" + name.text) }
        }
        guard variables.count == names.count else { throw RecipientRejection("TOO_MANY_VARIABLES") }
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .text(let text): bytes += text
            case .variable(let name): bytes += (variables[name]?.text ?? "").utf8
            }
            // Before the next part: a template may have a long variable many times.
            guard bytes.count <= limit else { throw .invalidText }
        }
        guard !bytes.isEmpty, !bytes.contains(0) else { throw .invalidText }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The reason why a campaign has no message for one of its recipients.
struct RecipientRejection: Error {
    /// The `errorMessage` of LivePerson's API.
    let text: String

    init(_ text: String) { self.text = text }

    static let invalidText = RecipientRejection("INVALID_TEXT")
    /// The recipient has no consumer id.
    static let noConsumer = RecipientRejection("MISSING_CONSUMER_INFORMATION==inapp")
    /// The consumer id is invalid.
    static let invalidConsumer = RecipientRejection("INVALID_NUMBER")
    /// An earlier recipient of the request is the same consumer.
    static let duplicate = RecipientRejection("DUPLICATE_NUMBER")
}
