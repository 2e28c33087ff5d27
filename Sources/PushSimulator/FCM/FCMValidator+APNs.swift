/// The validation of the `apns` part: FCM must be able to forward it to APNs as a valid push.
///
/// Sources: firebase.google.com "ApnsConfig" (header fields are those of APNs, the payload holds `aps` and custom
/// keys), and Apple, "Sending notification requests to APNs" and "Generating a remote notification".
extension FCMValidator {
    private static let apnsPath = "message.apns"

    static func checkAPNs(_ apns: JSONValue) throws(FCMRejection) {
        let type = try checkAPNsHeaders(apns["headers"])
        guard let payload = apns["payload"] else {
            // Without a payload FCM makes its own `aps` from the common parts.
            return
        }
        guard let aps = payload["aps"] else {
            throw .invalid(.init(field: apnsPath + ".payload", text: "The payload has no aps dictionary."))
        }
        try checkAPS(aps)
        let isSilent = aps.members?.allSatisfy { $0.name == "content-available" } ?? false
        if type == .background, !isSilent {
            throw .invalid(
                .init(field: apnsPath + ".payload.aps", text: "A background push holds content-available alone.")
            )
        }
        if type == .alert, isSilent {
            throw .invalid(.init(field: apnsPath + ".payload.aps", text: "An alert push shows something."))
        }
    }

    /// Checks the fields and their values.
    ///
    /// - Returns: The push type, if there is one.
    private static func checkAPNsHeaders(_ headers: JSONValue?) throws(FCMRejection) -> APNsPushType? {
        var fields = APNsValidator.Headers()
        for member in headers?.members ?? [] {
            let value = member.value.stringValue
            switch member.name.lowercased() {
            case "apns-topic": fields.topic = value
            case "apns-push-type": fields.pushType = value
            case "apns-id": fields.id = value
            case "apns-expiration": fields.expiration = value
            case "apns-priority": fields.priority = value
            case "apns-collapse-id": fields.collapseID = value
            default:
                // `authorization` is FCM's own.
                throw .invalid(
                    .init(field: apnsPath + ".headers", text: "\(member.name) is no header field of APNs.")
                )
            }
        }
        do throws(APNsRejection) {
            let type = try APNsValidator.pushType(fields.pushType)
            try APNsValidator.check(fields, type: type)
            if fields.topic != nil { _ = try APNsValidator.bundleID(fields.topic, type: type, allowed: []) }
            return type
        } catch {
            throw .invalid(
                .init(field: apnsPath + ".headers", text: "APNs does not take it: \(error.reason.rawValue).")
            )
        }
    }

    private static func checkAPS(_ aps: JSONValue) throws(FCMRejection) {
        let path = apnsPath + ".payload.aps"
        guard let members = aps.members else {
            throw .invalid(.init(field: path, text: "aps is an object."))
        }
        for member in members {
            let isFine: Bool
            switch member.name {
            case "alert": isFine = member.value.stringValue != nil || isAlert(member.value)
            case "badge": isFine = member.value.integerValue.map { $0 >= 0 } ?? false
            case "sound": isFine = member.value.stringValue != nil || isCriticalSound(member.value)
            case "content-available", "mutable-content": isFine = member.value.integerValue == 1
            case "thread-id", "category", "target-content-id", "filter-criteria":
                isFine = member.value.stringValue != nil
            case "interruption-level":
                isFine = ["passive", "active", "time-sensitive", "critical"].contains(member.value.stringValue)
            case "relevance-score": isFine = member.value.doubleValue.map { (0...1).contains($0) } ?? false
            // Members of a Live Activity, or ignored: custom keys are beside `aps`.
            default: isFine = true
            }
            guard isFine else {
                throw .invalid(.init(field: path + "." + member.name, text: "Not what aps holds there."))
            }
        }
    }

    private static func isAlert(_ value: JSONValue) -> Bool {
        guard let members = value.members else { return false }
        return members.allSatisfy { member in
            switch member.name {
            case "title", "subtitle", "body", "launch-image", "title-loc-key", "subtitle-loc-key", "loc-key":
                member.value.stringValue != nil
            case "title-loc-args", "subtitle-loc-args", "loc-args":
                member.value.elements?.allSatisfy { $0.stringValue != nil } ?? false
            default: false
            }
        }
    }

    private static func isCriticalSound(_ value: JSONValue) -> Bool {
        guard let members = value.members else { return false }
        return members.allSatisfy { member in
            switch member.name {
            case "critical": member.value.integerValue == 1
            case "name": member.value.stringValue != nil
            case "volume": member.value.doubleValue.map { (0...1).contains($0) } ?? false
            default: false
            }
        }
    }
}
