internal import GatewayModel
internal import TextFormats

extension JSONWriter {
    /// Appends a string, or `null`.
    mutating func string(orNull text: String?) {
        if let text { string(text) } else { literal("null") }
    }

    /// Appends a number, or `null`.
    mutating func integer(orNull number: Int64?) {
        if let number { integer(number) } else { literal("null") }
    }

    /// Appends a time in RFC 3339.
    mutating func timestamp(_ moment: Timestamp) { string(moment.rfc3339) }

    /// Appends a time in RFC 3339, or `null`.
    mutating func timestamp(orNull moment: Timestamp?) {
        if let moment { timestamp(moment) } else { literal("null") }
    }

    /// Appends a message's id with its quotes, or `null`.
    mutating func identifier(orNull id: MessageID?) {
        guard let id else { return literal("null") }
        literal("\"")
        identifier(id)
        literal("\"")
    }
}
