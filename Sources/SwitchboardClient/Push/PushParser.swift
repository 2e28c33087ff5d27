import Foundation

/// Reads pushes of the four systems, and tells theirs from those of others; a pure value.
struct PushParser: Sendable {
    let brandID: String
    let dialects: Set<PushMessage.Dialect>

    /// Returns the system of a push; nil for one of somebody else.
    ///
    /// LivePerson and Switchboard name the brand, CCAI Platform has `ujet`, Bloomreach has `source`.
    func dialect(of payload: PushPayload) -> PushMessage.Dialect? {
        let members = Self.flattened(payload.members)
        if let brand = members["brandId"]?.text {
            guard brand.utf8.elementsEqual(brandID.utf8) else { return nil }
            let isTheirs = members["push-service"] != nil || members["notificationType"] != nil
            let dialect: PushMessage.Dialect = isTheirs ? .livePerson : .switchboard
            return dialects.contains(dialect) ? dialect : nil
        }
        if dialects.contains(.ujet), payload.members["ujet"]?.members != nil { return .ujet }
        if dialects.contains(.bloomreach), payload.members["source"]?.text == "xnpe_platform" { return .bloomreach }
        return nil
    }

    /// Returns the push; nil for one of somebody else.
    func parse(_ payload: PushPayload) -> PushMessage? {
        switch dialect(of: payload) {
        case .switchboard: Self.own(Self.flattened(payload.members), dialect: .switchboard)
        case .livePerson: Self.own(Self.flattened(payload.members), dialect: .livePerson)
        case .ujet: Self.ujet(payload.members)
        case .bloomreach: Self.bloomreach(payload.members)
        case nil: nil
        }
    }

    /// Returns the members at one level: LivePerson's map for FCM and Huawei nests them as an object or as JSON text.
    private static func flattened(_ members: [String: JSONValue]) -> [String: JSONValue] {
        guard members["brandId"] == nil else { return members }
        let data = members["data"]?.members
        guard let inner = (data ?? members)["payload"]?.members else { return members }
        var all = members.merging(inner) { $1 }
        if all["text"] == nil { all["text"] = (data ?? members)["message"] }
        // The map was sent over FCM or Huawei, by this system.
        if all["notificationType"] == nil { all["notificationType"] = "fcm" }
        all["data"] = inner["data"]
        return all
    }

    private static func own(_ members: [String: JSONValue], dialect: PushMessage.Dialect) -> PushMessage {
        let aps = members["aps"]
        let alert = aps?["alert"]
        var message = PushMessage(dialect: dialect, kind: .agent)
        message.brandID = members["brandId"]?.text
        message.id = (members["messageId"] ?? members["id"])?.text
        message.title = members["title"]?.text ?? alert?["title"]?.text
        message.text = members["text"]?.text ?? alert?["body"]?.text ?? line(alert, after: message.title)
        message.nickname = members["agent"]?.members?["nickname"]?.text
        message.conversationID = members["conversationId"]?.text
        message.dialogID = members["dialogId"]?.text
        message.originatorID = members["originatorId"]?.text
        message.sequence = members["sequence"]?.integerValue
        message.badge = (members["badge"] ?? aps?["badge"])?.integerValue.flatMap { $0 >= 0 ? $0 : nil }
        message.link = members["link"]?.text
        message.isLinkUnverified = members["linkUnverified"]?.flag ?? false
        message.data = members["data"].flatMap { data in data.members.map { .object($0) } }
        message.summaryCount = max(members["summary"]?.integerValue ?? 0, 0)
        message.isQuiet = members["quiet"]?.flag ?? (aps?["interruption-level"]?.text == "passive")
        message.isTruncated = members["truncated"]?.flag ?? false
        message.read = marks(members["read"])
        switch members["backendService"]?.text {
        case "prmsg": message.kind = .proactive
        case "c2m": message.kind = .c2m
        default: message.kind = .agent
        }
        if message.id == nil, message.conversationID == nil, message.text == nil {
            message.kind = message.badge == nil && message.read.isEmpty ? .silent : .badge
        } else if members["silent"]?.flag == true || (aps != nil && alert == nil && message.text == nil) {
            let isSelfCheck = message.data?["action"]?.text == "self-check"
            message.kind = isSelfCheck ? .selfCheck : .silent
        }
        return message
    }

    /// Returns the text of LivePerson's alert, one line with the title before a colon, without the title that the members
    /// name.
    private static func line(_ alert: JSONValue?, after title: String?) -> String? {
        guard let line = alert?.text else { return nil }
        guard let start = title.map({ $0 + ": " }), line.utf8.starts(with: start.utf8) else { return line }
        return String(Substring(line.utf8.dropFirst(start.utf8.count)))
    }

    private static func marks(_ value: JSONValue?) -> [PushMessage.ReadMark] {
        (value?.elements ?? []).prefix(24).compactMap { mark in
            guard let conversation = mark["conversation"]?.text,
                let sequence = mark["upToSequence"]?.integerValue
            else { return nil }
            return PushMessage.ReadMark(
                conversationID: conversation,
                upToSequence: sequence,
                messageIDs: (mark["messageIds"]?.elements ?? []).prefix(24).compactMap(\.text)
            )
        }
    }

    private static func ujet(_ members: [String: JSONValue]) -> PushMessage? {
        guard let inner = members["ujet"]?.members else { return nil }
        let alert = members["aps"]?["alert"]
        let kind: PushMessage.Kind =
            switch inner["type"]?.text {
            case "proactive": .proactive
            case "c2m": .c2m
            default: .agent
            }
        var message = PushMessage(dialect: .ujet, kind: kind)
        message.id = inner["push_id"]?.text
        message.conversationID = inner["conversation_id"]?.text
        message.title = alert?["title"]?.text ?? members["title"]?.text
        message.text = alert?["body"]?.text ?? alert?.text ?? members["text"]?.text
        message.badge = (members["badge"] ?? members["aps"]?["badge"])?.integerValue.flatMap { $0 >= 0 ? $0 : nil }
        message.isTruncated = members["truncated"]?.flag ?? false
        message.link = members["link"]?.text
        message.isLinkUnverified = members["linkUnverified"]?.flag ?? false
        message.data = members["data"]?.members.map { .object($0) }
        if !message.isVisible { message.kind = message.data?["action"]?.text == "self-check" ? .selfCheck : .silent }
        return message
    }

    private static func bloomreach(_ members: [String: JSONValue]) -> PushMessage {
        let alert = members["aps"]?["alert"]
        let attributes = members["attributes"]?.members ?? [:]
        var message = PushMessage(dialect: .bloomreach, kind: .proactive)
        // Switchboard's own id, where the push is Switchboard's: it is the one for a tap.
        message.id =
            attributes["message_id"]?.text
            ?? members["notification_id"].flatMap { $0.text ?? $0.integerValue.map { String($0) } }
        message.title = members["title"]?.text ?? alert?["title"]?.text
        message.text = members["message"]?.text ?? alert?["body"]?.text
        message.isTruncated = members["truncated"]?.flag ?? false
        message.link = members["url"]?.text
        message.hasTrackingConsent = members["has_tracking_consent"]?.flag ?? true
        message.sentAt = attributes["sent_timestamp"]?.numberValue.map { Date(timeIntervalSince1970: $0) }
        message.data = attributes.isEmpty ? nil : .object(attributes)
        message.urlParameters = members["url_params"]?.members ?? [:]
        message.actions = (members["actions"]?.elements ?? []).prefix(8).compactMap { action in
            action["title"]?.text.map { PushMessage.Action(title: $0, url: action["url"]?.text) }
        }
        // Only Bloomreach's visible pushes may say something about the badge.
        message.badge = members["aps"]?["badge"]?.integerValue.flatMap { $0 >= 0 ? $0 : nil }
        if members["action"]?.text == "self-check" {
            message.kind = .selfCheck
        } else if members["silent"]?.flag == true || !message.isVisible {
            message.kind = .silent
        }
        return message
    }
}
