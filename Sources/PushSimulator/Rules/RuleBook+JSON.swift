extension RuleBook {
    /// Parses rules in the form of the control port: an array of `{"match":{...},"do":{...}}`.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: The rules with counters at 0.
    /// - Throws: ``RuleError`` for anything unknown, misspelt or contradictory.
    package static func parse(_ text: [UInt8]) throws(RuleError) -> RuleBook {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: text)
        } catch {
            throw RuleError(description: "not JSON: \(error.reason)")
        }
        guard let elements = value.elements else { throw RuleError(description: "the rules must be an array") }
        guard elements.count <= 1000 else { throw RuleError(description: "more than 1000 rules") }
        var rules: [SimulatorRule] = []
        for (index, element) in elements.enumerated() { rules.append(try Self.rule(element, at: "rule \(index)")) }
        return RuleBook(rules)
    }

    private static func rule(_ value: JSONValue, at place: String) throws(RuleError) -> SimulatorRule {
        var reader = try RuleReader(value, at: place)
        var match = SimulatorRule.Match()
        if let part = reader.take("match") { match = try Self.match(part, at: "\(place), match") }
        guard let part = reader.take("do") else { throw RuleError(description: "\(place): \"do\" is missing") }
        try reader.end()
        return SimulatorRule(match: match, action: try Self.action(part, at: "\(place), do"))
    }

    private static func match(_ value: JSONValue, at place: String) throws(RuleError) -> SimulatorRule.Match {
        var reader = try RuleReader(value, at: place)
        var match = SimulatorRule.Match()
        if let name = try reader.string("provider") {
            guard let provider = SimulatedProvider(rawValue: name) else {
                throw RuleError(
                    description:
                        "\(place): \"provider\" must be apns, fcm, oauth, identityProvider, talkdesk or chatwoot"
                )
            }
            match.provider = provider
        }
        match.tokenPrefix = try reader.string("tokenPrefix")
        match.minBytes = try reader.integer("minBytes", in: 1...1_000_000_000).map { Int($0) }
        match.everyNth = try reader.integer("everyNth", in: 1...1_000_000_000).map { Int($0) }
        try reader.end()
        return match
    }

    private static func action(_ value: JSONValue, at place: String) throws(RuleError) -> RuleAction {
        var reader = try RuleReader(value, at: place)
        var action = RuleAction()
        action.status = try reader.integer("status", in: 200...599).map { Int($0) }
        action.reason = try reader.string("reason")
        action.timestamp = try reader.integer("timestamp", in: 0...Int64.max)
        action.retryAfter = try Self.retryAfter(&reader)
        action.delayMilliseconds = try reader.integer("delayMs", in: 0...600_000).map { Int($0) } ?? 0
        action.goAway = try Self.goAway(&reader, at: place)
        action.resetCode = try Self.resetCode(&reader, at: place)
        action.drops = try reader.flag("drop")
        action.maxStreams = try reader.integer("maxStreams", in: 0...0x7FFF_FFFF).map { UInt32($0) }
        action.html = try Self.html(&reader, at: place)
        action.body = try reader.string("body").map { Array($0.utf8) }
        action.isSilent = try reader.flag("silent")
        action.truncates = try reader.flag("truncate")
        action.mutes = try reader.flag("mute")
        action.location = try Self.location(&reader)
        action.spoilsSignature = try reader.flag("wrongSignature")
        action.dribbleMilliseconds = try reader.integer("dribbleMs", in: 1...60_000).map { Int($0) } ?? 0
        try reader.end()
        try Self.checkConsistency(of: action, at: place)
        return action
    }

    private static func retryAfter(_ reader: inout RuleReader) throws(RuleError) -> String? {
        if case .string(let date)? = reader.peek("retryAfter") {
            _ = reader.take("retryAfter")
            guard !date.isEmpty, date.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
                throw RuleError(description: "\(reader.place): \"retryAfter\" must be printable ASCII")
            }
            return date
        }
        return try reader.integer("retryAfter", in: 0...10_000_000).map { String($0) }
    }

    private static func location(_ reader: inout RuleReader) throws(RuleError) -> String? {
        guard let text = try reader.string("location") else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw RuleError(description: "\(reader.place): \"location\" must be visible ASCII")
        }
        return text
    }

    /// Parses `goaway`: `true` is a graceful shutdown; an object has details.
    private static func goAway(_ reader: inout RuleReader, at place: String) throws(RuleError) -> RuleAction
        .GoAwayOrder?
    {
        guard let value = reader.take("goaway") else { return nil }
        if let flag = value.boolValue { return flag ? .init() : nil }
        var part = try RuleReader(value, at: "\(place), goaway")
        var order = RuleAction.GoAwayOrder()
        if let code = try part.integer("code", in: 0...0xFFFF_FFFF) { order.code = UInt32(code) }
        if let covers = part.peek("processed") {
            guard let flag = covers.boolValue else {
                throw RuleError(description: "\(place), goaway: \"processed\" must be true or false")
            }
            _ = part.take("processed")
            order.coversRequest = flag
        }
        if let last = try part.integer("lastStreamId", in: 0...0x7FFF_FFFF) {
            guard value["processed"] == nil else {
                throw RuleError(description: "\(place), goaway: only one of \"processed\" and \"lastStreamId\"")
            }
            order.lastStreamID = Int32(last)
        }
        order.debugData = try part.string("debugData")
        try part.end()
        return order
    }

    /// Parses `reset`: `true` is REFUSED_STREAM, which means that the request was not processed; a number is an error
    /// code.
    private static func resetCode(_ reader: inout RuleReader, at place: String) throws(RuleError) -> UInt32? {
        guard let value = reader.take("reset") else { return nil }
        if let flag = value.boolValue { return flag ? 7 : nil }
        guard let code = value.integerValue, let code = UInt32(exactly: code) else {
            throw RuleError(description: "\(place): \"reset\" must be true, false or an HTTP/2 error code")
        }
        return code
    }

    private static func html(_ reader: inout RuleReader, at place: String) throws(RuleError) -> String? {
        guard let value = reader.take("html") else { return nil }
        if let flag = value.boolValue { return flag ? "The server had a problem. Please try again." : nil }
        guard let text = value.stringValue else {
            throw RuleError(description: "\(place): \"html\" must be true, false or a text")
        }
        return text
    }

    private static func checkConsistency(of action: RuleAction, at place: String) throws(RuleError) {
        let withholds = [
            action.drops, action.isSilent, action.mutes, action.resetCode != nil, action.goAway?.coversRequest == false,
        ]
        guard withholds.count(where: { $0 }) <= 1 else {
            throw RuleError(
                description: "\(place): only one of drop, silent, mute, reset and goaway with processed false"
            )
        }
        if withholds.contains(true), action.truncates {
            throw RuleError(description: "\(place): half an answer is ordered, but none will be given")
        }
        let responses =
            action.status != nil || action.reason != nil || action.html != nil || action.body != nil
            || action.retryAfter != nil || action.location != nil || action.spoilsSignature
        if withholds.contains(true), responses {
            throw RuleError(description: "\(place): an answer is described, but none will be given")
        }
        if action.html != nil, action.body != nil {
            throw RuleError(description: "\(place): only one of html and body")
        }
        if action == RuleAction() { throw RuleError(description: "\(place): nothing is to be done") }
        if let status = action.status, status == 200, action.reason != nil {
            throw RuleError(description: "\(place): an acceptance has no reason")
        }
    }
}
