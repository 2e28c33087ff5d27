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
    mutating func timestamp(_ moment: Timestamp) { dateTime(milliseconds: moment.milliseconds) }

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

    /// Appends a member with `true` or `false`.
    mutating func member(_ name: StaticString, _ flag: Bool) {
        self.name(known: name)
        boolean(flag)
    }

    /// Appends a member with a time in RFC 3339.
    mutating func member(_ name: StaticString, _ moment: Timestamp) {
        self.name(known: name)
        timestamp(moment)
    }

    /// Appends a member with a string, or `null`.
    mutating func member(_ name: StaticString, orNull text: String?) {
        self.name(known: name)
        string(orNull: text)
    }

    /// Appends a member with a number, or `null`.
    mutating func member(_ name: StaticString, orNull number: Int64?) {
        self.name(known: name)
        integer(orNull: number)
    }

    /// Appends a member with a time in RFC 3339, or `null`.
    mutating func member(_ name: StaticString, orNull moment: Timestamp?) {
        self.name(known: name)
        timestamp(orNull: moment)
    }

    /// Appends a member with a message's id, or `null`.
    mutating func member(_ name: StaticString, orNull id: MessageID?) {
        self.name(known: name)
        identifier(orNull: id)
    }
}
