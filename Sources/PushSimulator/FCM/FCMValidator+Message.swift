extension FCMValidator {
    /// The longest time to live in seconds: four weeks (firebase.google.com, AndroidConfig).
    static let longestTTLSeconds: Int64 = 2_419_200
    /// The limit in bytes of keys and values for a device (firebase.google.com, "About FCM messages").
    private static let payloadLimit = 4096
    /// The same for messages to topics.
    private static let topicPayloadLimit = 2048
    /// The longest registration token; Google documents no pattern.
    private static let longestToken = 4096

    /// Checks the rules beyond the types.
    static func check(_ message: JSONValue) throws(FCMRejection) {
        let isToDevice = try Self.checkTarget(of: message)
        try Self.checkKeys(message["data"], at: "message.data")
        if let android = message["android"] {
            try Self.checkKeys(android["data"], at: "message.android.data")
            try Self.checkTTL(android["ttl"])
        }
        if let apns = message["apns"] { try Self.checkAPNs(apns) }
        if let webPush = message["webpush"] { try Self.checkWebPush(webPush) }
        let limit = isToDevice ? Self.payloadLimit : Self.topicPayloadLimit
        let sizes = [Self.androidSize(of: message), Self.appleSize(of: message), Self.webSize(of: message)]
        guard sizes.allSatisfy({ $0 <= limit }) else { throw FCMRejection.tooBig }
    }

    /// - Returns: Whether the message goes to one device.
    private static func checkTarget(of message: JSONValue) throws(FCMRejection) -> Bool {
        let targets = ["token", "topic", "condition"].compactMap { name in
            message[name]?.stringValue.map { (name: name, value: $0) }
        }
        guard let target = targets.first, !target.value.isEmpty else {
            throw .invalid(.init(field: "message", text: "Recipient of the message is not set."))
        }
        guard targets.count == 1 else {
            let field = "message.\(targets[1].name)"
            throw .malformed([
                .init(field: field, text: "The target is set already: only one of token, topic, condition.")
            ])
        }
        switch target.name {
        case "token":
            let isPlausible =
                target.value.utf8.count <= Self.longestToken
                && target.value.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
            guard isPlausible else { throw FCMRejection.badToken }
            return true
        case "topic":
            guard target.value.wholeMatch(of: /[a-zA-Z0-9\-_.~%]+/) != nil else {
                throw .invalid(.init(field: "message.topic", text: "Invalid topic name."))
            }
        default: break
        }
        return false
    }

    /// Rejects keys that are reserved for FCM.
    static func checkKeys(_ data: JSONValue?, at path: String) throws(FCMRejection) {
        for member in data?.members ?? [] {
            let name = member.name
            let isReserved =
                name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
            if isReserved || name.isEmpty {
                throw .invalid(.init(field: path, text: "Invalid data payload key: \(name)"))
            }
        }
    }

    private static func checkTTL(_ value: JSONValue?) throws(FCMRejection) {
        guard let text = value?.stringValue, let ttl = FCMDuration(text) else { return }
        let isTooLong =
            ttl.seconds > Self.longestTTLSeconds || (ttl.seconds == Self.longestTTLSeconds && ttl.hasFraction)
        if text.hasPrefix("-") || isTooLong {
            throw .invalid(.init(field: "message.android.ttl", text: "The time to live is out of range."))
        }
    }

    /// Returns the counted size.
    ///
    /// No page documents how it is counted; here it is the keys and values that a device of
    /// the platform receives: its own part replaces the common one if both are given.
    private static func androidSize(of message: JSONValue) -> Int {
        let android = message["android"]
        return size(of: android?["data"] ?? message["data"])
            + size(of: message["notification"], but: android?["notification"]) + size(of: android?["notification"])
    }

    private static func appleSize(of message: JSONValue) -> Int {
        let payload = message["apns"]?["payload"]
        return size(of: message["data"], but: payload) + size(of: payload)
            + (payload?["aps"]?["alert"] == nil ? size(of: message["notification"]) : 0)
    }

    private static func webSize(of message: JSONValue) -> Int {
        let webPush = message["webpush"]
        return size(of: webPush?["data"] ?? message["data"])
            + size(of: message["notification"], but: webPush?["notification"]) + size(of: webPush?["notification"])
    }

    /// Returns the bytes of keys and values, including nested objects.
    private static func size(of value: JSONValue?, but replaced: JSONValue? = nil) -> Int {
        switch value {
        case .object(let members):
            members.reduce(0) { sum, member in
                replaced?[member.name] == nil ? sum + member.name.utf8.count + size(of: member.value) : sum
            }
        case .array(let elements): elements.reduce(0) { $0 + size(of: $1) }
        case .string(let text): text.utf8.count
        case .integer(let number): String(number).utf8.count
        case .number, .bool: 5
        case .null, nil: 0
        }
    }
}
