import ArgumentParser
import Foundation
import GatewayClient
import TextFormats

/// The services whose exports of devices can be read (TakingOverDevices page).
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
    /// OneSignal's CSV export.
    case onesignal
    /// Parse Server's `_Installation` documents.
    case parse
    /// Azure Notification Hubs' exported registrations, one XML text a line.
    case azure
    /// Amazon SNS' platform endpoints, as its command line lists them.
    case sns
    /// The lines of the gateway's own import.
    case ndjson
}

/// The result of reading a device of an export.
enum ExportedDevice: Equatable {
    /// A line of the gateway's import.
    case line([UInt8])
    /// It is not imported: the reason.
    case skipped(String)
    /// It cannot be read: the reason.
    case rejected(String)
}

/// The facts that an export does not contain, and the readers of one device in each format.
struct ExportTerms {
    /// The app of devices with tokens of APNs; nil skips them.
    var ios: String?
    /// The app of devices with tokens of FCM; nil skips them.
    var android: String?
    /// The environment of APNs' tokens; nil means what the export says, else production.
    var environment: String?
    /// The beginning of the tag that names the user of an Azure registration.
    var consumerTag = "$UserId:"
    /// The beginning of the ids of consumers for devices without a user; nil rejects such devices.
    var unidentified: String?

    /// Reads a row of OneSignal's CSV; `device_type` is 0 for iOS and 1 for Android.
    func oneSignal(_ row: [String: String]) -> ExportedDevice {
        if ["true", "t", "1"].contains(row["invalid_identifier"]?.lowercased()) { return .skipped("is unsubscribed") }
        let type = row["device_type"] ?? ""
        return line(
            isAPNs: ["0": true, "1": false][type],
            platform: "device_type \(type)",
            id: row["id"] ?? row["player_id"],
            token: row["identifier"],
            consumer: row["external_user_id"],
            locale: row["language"],
            timeZone: row["timezone_id"]
        )
    }

    /// Reads an `_Installation` of Parse Server, as its API or its database writes it.
    func parse(_ installation: JSONValue) -> ExportedDevice {
        let type = installation["deviceType"].string ?? ""
        let stored = installation["_p_user"].string?.split(separator: "$", maxSplits: 1).last.map(String.init)
        return line(
            isAPNs: ["ios": true, "android": false][type],
            platform: "deviceType \(type)",
            id: installation["installationId"].string ?? installation["objectId"].string,
            token: installation["deviceToken"].string,
            consumer: installation["user"]["objectId"].string ?? stored,
            locale: installation["localeIdentifier"].string,
            timeZone: installation["timeZone"].string
        )
    }

    /// Reads an endpoint of Amazon SNS; `CustomUserData` is the consumer, the last part of the ARN the device.
    func sns(_ endpoint: JSONValue) -> ExportedDevice {
        let attributes = endpoint["Attributes"]
        let parts = (endpoint["EndpointArn"].string ?? "").split(separator: "/").map(String.init)
        let platform = parts.count == 4 ? parts[1] : ""
        if attributes["Enabled"].plain.lowercased() == "false" { return .skipped("is disabled") }
        return line(
            isAPNs: ["APNS": true, "APNS_SANDBOX": true, "GCM": false][platform],
            platform: "platform \(platform)",
            id: parts.last,
            token: attributes["Token"].string,
            consumer: attributes["CustomUserData"].string,
            stated: platform == "APNS_SANDBOX" ? "sandbox" : nil
        )
    }

    /// Reads a registration of Azure Notification Hubs.
    func azure(_ xml: String) -> ExportedDevice {
        func element(_ name: String) -> String? {
            guard let start = xml.range(of: "<\(name)>"),
                let end = xml.range(of: "</\(name)>", range: start.upperBound..<xml.endIndex)
            else { return nil }
            let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
            return entities.reduce(String(xml[start.upperBound..<end.lowerBound])) {
                $0.replacingOccurrences(of: $1.0, with: $1.1)
            }
        }
        guard xml.contains("RegistrationDescription") else { return .rejected("is not a registration") }
        let apns = element("DeviceToken")
        let tags = (element("Tags") ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let user = tags.first { $0.hasPrefix(consumerTag) }?.dropFirst(consumerTag.count)
        let token = apns ?? element("FcmV1RegistrationId") ?? element("GcmRegistrationId")
        return line(
            isAPNs: token == nil ? nil : apns != nil,
            platform: "its kind",
            id: element("RegistrationId"),
            token: token,
            consumer: user.map(String.init)
        )
    }

    // MARK: Lines

    private func line(
        isAPNs: Bool?,
        platform: String,
        id: String?,
        token: String?,
        consumer: String?,
        locale: String? = nil,
        timeZone: String? = nil,
        stated: String? = nil
    ) -> ExportedDevice {
        guard let isAPNs else { return .skipped("\(platform) is not taken over") }
        guard let app = isAPNs ? ios : android else {
            return .skipped("no app is named with \(isAPNs ? "--ios" : "--android")")
        }
        guard let id, !id.isEmpty else { return .rejected("has no id") }
        guard let token, !token.isEmpty else { return .rejected("has no token") }
        let known = consumer.flatMap { $0.isEmpty ? nil : $0 }
        guard let consumer = known ?? unidentified.map({ $0 + id }) else { return .rejected("has no user") }
        var writer = JSONWriter(capacity: 384)
        writer.literal("{")
        writer.member("consumer", consumer)
        writer.member("app", app)
        writer.member("deviceId", id)
        writer.member("token", token)
        writer.member("pushType", isAPNs ? "apns" : "fcm")
        if isAPNs { writer.member("environment", environment ?? stated) }
        writer.member("locale", locale.flatMap { $0.isEmpty ? nil : $0 })
        writer.member("timeZone", timeZone.flatMap { $0.isEmpty ? nil : $0 })
        writer.literal("}")
        return .line(writer.bytes)
    }
}
