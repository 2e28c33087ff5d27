/// The validation of the `webpush` part.
///
/// Sources: firebase.google.com "WebpushConfig" (header fields are those of the Web Push protocol), RFC 8030 sections
/// 5.2 to 5.4, and the Notifications API standard (notifications.spec.whatwg.org) for the members of a Web
/// Notification.
extension FCMValidator {
    private static let webPushPath = "message.webpush"

    static func checkWebPush(_ webPush: JSONValue) throws(FCMRejection) {
        for member in webPush["headers"]?.members ?? [] {
            guard isWebPushHeader(member.name, member.value.stringValue ?? "") else {
                throw .invalid(
                    .init(field: webPushPath + ".headers", text: "Invalid value for Web Push header \(member.name).")
                )
            }
        }
        try checkKeys(webPush["data"], at: webPushPath + ".data")
        for member in webPush["notification"]?.members ?? [] where !isNotificationMember(member) {
            throw .invalid(
                .init(field: webPushPath + ".notification." + member.name, text: "Not what a Web Notification holds.")
            )
        }
        if let options = webPush["fcm_options"] ?? webPush["fcmOptions"], let link = options["link"]?.stringValue,
            !link.hasPrefix("https://")
        {
            throw .invalid(.init(field: webPushPath + ".fcm_options.link", text: "The link must use https."))
        }
    }

    private static func isWebPushHeader(_ name: String, _ value: String) -> Bool {
        switch name.lowercased() {
        case "ttl":
            value.wholeMatch(of: /\d{1,10}/) != nil && Int64(value).map { $0 <= longestTTLSeconds } ?? false
        case "urgency": ["very-low", "low", "normal", "high"].contains(value)
        case "topic": value.wholeMatch(of: /[A-Za-z0-9_\-]{1,32}/) != nil
        default: false
        }
    }

    /// Returns whether a member is valid.
    ///
    /// Members outside the standard are accepted: the object is open.
    private static func isNotificationMember(_ member: JSONValue.JSONMember) -> Bool {
        switch member.name {
        case "title", "body", "tag", "lang", "icon", "badge", "image": member.value.stringValue != nil
        case "dir": ["auto", "ltr", "rtl"].contains(member.value.stringValue)
        case "silent", "renotify", "requireInteraction": member.value.boolValue != nil
        case "timestamp": member.value.doubleValue != nil
        case "actions": member.value.elements != nil
        default: true
        }
    }
}
