internal import TextFormats

/// The values of `apns-push-type`, with their topics.
///
/// Source: Apple, "Sending notification requests to APNs".
package enum APNsPushType: String, Sendable, CaseIterable {
    case alert
    case background
    case complication
    case controls
    case fileprovider
    case liveactivity
    case location
    case mdm
    case pushtotalk
    case voip
    case widgets

    /// The suffix of the bundle id in the topic; empty for none.
    package var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The largest body in bytes.
    package var payloadLimit: Int { self == .voip ? 5120 : 4096 }

    /// The allowed values of `apns-priority`; "using priority 10 is an error" for background pushes.
    package var priorities: Set<String> {
        switch self {
        case .background: ["5"]
        case .liveactivity, .location: ["10", "5"]
        default: ["10", "5", "1"]
        }
    }

    /// The required member of the body.
    ///
    /// An MDM push names its device by `mdm` and has no `aps` (Apple, "Mobile Device Management Protocol").
    var requiredMember: StrictJSON.Selection { self == .mdm ? Self.mdmMember : Self.apsMember }

    // A member of the member, which itself is not made then.
    private static let mdmMember = StrictJSON.Selection(["/mdm/"])
    private static let apsMember = StrictJSON.Selection(["/aps/"])

    /// Splits a topic into bundle id and suffix.
    ///
    /// - Parameter topic: The value of `apns-topic`.
    /// - Returns: The bundle id and the suffix.
    static func split(topic: String) -> (bundleID: String, suffix: String) {
        for suffix in Self.suffixes where topic.hasSuffix(suffix) {
            return (String(topic.dropLast(suffix.count)), suffix)
        }
        return (topic, "")
    }

    private static let suffixes = Self.allCases.map(\.topicSuffix).filter { !$0.isEmpty }
}
