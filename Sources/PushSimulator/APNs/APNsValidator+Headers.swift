internal import TextFormats

extension APNsValidator {
    /// The fields that APNs reads, each at most once.
    struct Headers {
        var authorization: String?
        var topic: String?
        var pushType: String?
        var id: String?
        var expiration: String?
        var priority: String?
        var collapseID: String?
    }

    /// Collects the fields.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: Set to the push's id as soon as a valid one is found, so that error responses contain it too.
    /// - Returns: The fields.
    /// - Throws: DuplicateHeaders.
    static func headers(of request: SimulatorRequest, id: inout String?) throws(APNsRejection) -> Headers {
        var headers = Headers()
        var isRepeated = false
        func take(_ value: String, _ field: inout String?) {
            if field != nil { isRepeated = true }
            field = value
        }
        for (name, value) in request.headers {
            switch name {
            case "authorization": take(value, &headers.authorization)
            case "apns-topic": take(value, &headers.topic)
            case "apns-push-type": take(value, &headers.pushType)
            case "apns-id": take(value, &headers.id)
            case "apns-expiration": take(value, &headers.expiration)
            case "apns-priority": take(value, &headers.priority)
            case "apns-collapse-id": take(value, &headers.collapseID)
            default: break
            }
        }
        if isRepeated { throw APNsRejection(.duplicateHeaders) }
        if let given = headers.id, Self.isUUID(given) { id = given }
        return headers
    }

    /// Parses the push type.
    ///
    /// It may be absent, since Apple requires it only from watchOS 6 on.
    static func pushType(_ text: String?) throws(APNsRejection) -> APNsPushType? {
        guard let text else { return nil }
        guard let type = APNsPushType(rawValue: text) else { throw APNsRejection(.invalidPushType) }
        return type
    }

    /// Checks the topic against the push type and against the topics of the key.
    static func bundleID(
        _ topic: String?,
        type: APNsPushType?,
        allowed: Set<String>
    ) throws(APNsRejection) -> String {
        guard let topic, !topic.isEmpty else { throw APNsRejection(.missingTopic) }
        let isWellFormed = topic.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isWellFormed, topic.utf8.count <= 255 else { throw APNsRejection(.badTopic) }
        let (bundleID, suffix) = APNsPushType.split(topic: topic)
        if let type, suffix != type.topicSuffix { throw APNsRejection(.badTopic) }
        // The topic of an MDM push is the certificate's own, not one of the team's apps.
        guard allowed.isEmpty || allowed.contains(bundleID) || type == .mdm else {
            throw APNsRejection(.topicDisallowed)
        }
        return bundleID
    }

    /// Checks the fields that do not depend on others.
    static func check(_ headers: Headers, type: APNsPushType?) throws(APNsRejection) {
        if let id = headers.id, !Self.isUUID(id) { throw APNsRejection(.badMessageID) }
        if let text = headers.expiration {
            guard Self.isDecimal(text), Int64(text) != nil else { throw APNsRejection(.badExpirationDate) }
        }
        if let text = headers.priority {
            guard (type ?? .alert).priorities.contains(text) else { throw APNsRejection(.badPriority) }
        }
        if let text = headers.collapseID, text.utf8.count > 64 { throw APNsRejection(.badCollapseID) }
    }

    private static func isDecimal(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns whether a text has the form 8-4-4-4-12 of hexadecimal digits.
    ///
    /// Upper case is accepted; Apple's page shows lower case.
    private static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        for (index, byte) in text.utf8.enumerated() {
            switch index {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default:
                if Hexadecimal.value(of: byte) == nil { return false }
            }
        }
        return true
    }
}
