extension SimulatorRule {
    /// The rule in the JSON form of the control port.
    package var json: JSONValue {
        var match: [JSONValue.JSONMember] = []
        if let provider = self.match.provider {
            match.append(.init(name: "provider", value: .string(provider.rawValue)))
        }
        if let prefix = self.match.tokenPrefix { match.append(.init(name: "tokenPrefix", value: .string(prefix))) }
        if let bytes = self.match.minBytes { match.append(.init(name: "minBytes", value: .integer(Int64(bytes)))) }
        if let every = self.match.everyNth { match.append(.init(name: "everyNth", value: .integer(Int64(every)))) }
        return ["match": .object(match), "do": self.action.json]
    }
}

extension RuleAction {
    fileprivate var json: JSONValue {
        var members: [JSONValue.JSONMember] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(.init(name: name, value: value)) }
        }
        add("status", self.status.map { .integer(Int64($0)) })
        add("reason", self.reason.map { .string($0) })
        add("timestamp", self.timestamp.map { .integer($0) })
        add("retryAfter", self.retryAfter.map { text in Int64(text).map { .integer($0) } ?? .string(text) })
        add("delayMs", self.delayMilliseconds == 0 ? nil : .integer(Int64(self.delayMilliseconds)))
        if let order = self.goAway {
            var parts: [JSONValue.JSONMember] = [
                .init(name: "code", value: .integer(Int64(order.code))),
                order.lastStreamID.map { .init(name: "lastStreamId", value: .integer(Int64($0))) }
                    ?? .init(name: "processed", value: .bool(order.coversRequest)),
            ]
            if let data = order.debugData { parts.append(.init(name: "debugData", value: .string(data))) }
            add("goaway", .object(parts))
        }
        add("reset", self.resetCode.map { .integer(Int64($0)) })
        add("drop", self.drops ? .bool(true) : nil)
        add("maxStreams", self.maxStreams.map { .integer(Int64($0)) })
        add("html", self.html.map { .string($0) })
        add("body", self.body.map { .string(String(decoding: $0, as: UTF8.self)) })
        add("location", self.location.map { .string($0) })
        add("wrongSignature", self.spoilsSignature ? .bool(true) : nil)
        add("silent", self.isSilent ? .bool(true) : nil)
        add("truncate", self.truncates ? .bool(true) : nil)
        add("mute", self.mutes ? .bool(true) : nil)
        add("dribbleMs", self.dribbleMilliseconds == 0 ? nil : .integer(Int64(self.dribbleMilliseconds)))
        return .object(members)
    }
}
