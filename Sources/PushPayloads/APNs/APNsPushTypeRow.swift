/// The rules for one value of `apns-push-type`, as data (ProviderFacts page, A4 and A7).
package struct APNsPushTypeRow: Sendable, Equatable {
    /// The content that APNs requires of the body.
    package enum Content: Sendable, Equatable {
        /// An `aps` object with any content.
        case aps
        /// An `aps` object that holds `content-available` and nothing else.
        case contentAvailable
        /// A member `mdm`, and no `aps`.
        case mdm
    }

    /// The value of `apns-push-type`.
    package let name: String
    /// The suffix of the bundle id in `apns-topic`, may be empty; nil when the topic is not a bundle id but the subject
    /// UID of the certificate.
    package let topicSuffix: String?
    /// The priorities that APNs accepts.
    package let priorities: [APNsPriority]
    /// The default priority.
    package let defaultPriority: APNsPriority
    /// The most bytes of a body.
    package let maxBodyBytes: Int
    /// Whether it requires token authentication.
    package let isTokenAuthOnly: Bool
    /// The required content of the body.
    package let content: Content

    private init(
        _ name: String,
        suffix: String?,
        priorities: [APNsPriority] = [.immediate, .powerAware, .powerFirst],
        default defaultPriority: APNsPriority = .immediate,
        maxBodyBytes: Int = 4096,
        isTokenAuthOnly: Bool = false,
        content: Content = .aps
    ) {
        self.name = name
        topicSuffix = suffix
        self.priorities = priorities
        self.defaultPriority = defaultPriority
        self.maxBodyBytes = maxBodyBytes
        self.isTokenAuthOnly = isTokenAuthOnly
        self.content = content
    }

    /// Returns the value of `apns-topic` for an app's bundle id; for MDM the UID of the certificate's subject.
    package func topic(_ bundleID: String) -> String { bundleID + (topicSuffix ?? "") }

    /// Returns a requested priority if it is allowed, else the default.
    package func priority(_ wanted: APNsPriority) -> APNsPriority {
        priorities.contains(wanted) ? wanted : defaultPriority
    }
}

extension APNsPushTypeRow {
    /// Alert, badge or sound.
    package static let alert = APNsPushTypeRow("alert", suffix: "")

    /// Wakes the app; 10 is an error.
    package static let background = APNsPushTypeRow(
        "background",
        suffix: "",
        priorities: [.powerAware],
        default: .powerAware,
        content: .contentAvailable
    )

    /// An incoming call, to a PushKit token.
    package static let voip = APNsPushTypeRow("voip", suffix: ".voip", maxBodyBytes: 5120)

    /// A complication of a watch face.
    package static let complication = APNsPushTypeRow("complication", suffix: ".complication")

    /// A Live Activity, to a token of ActivityKit.
    package static let liveactivity = APNsPushTypeRow(
        "liveactivity",
        suffix: ".push-type.liveactivity",
        priorities: [.immediate, .powerAware]
    )

    /// Push to Talk.
    package static let pushtotalk = APNsPushTypeRow("pushtotalk", suffix: ".voip-ptt")

    /// Requests the device's location.
    package static let location = APNsPushTypeRow(
        "location",
        suffix: ".location-query",
        priorities: [.immediate, .powerAware],
        isTokenAuthOnly: true
    )

    /// A change for a File Provider extension.
    package static let fileprovider = APNsPushTypeRow("fileprovider", suffix: ".pushkit.fileprovider")

    /// WidgetKit controls.
    package static let controls = APNsPushTypeRow("controls", suffix: ".push-type.controls")

    /// WidgetKit widgets.
    package static let widgets = APNsPushTypeRow("widgets", suffix: ".push-type.widgets")

    /// Device management.
    package static let mdm = APNsPushTypeRow("mdm", suffix: nil, content: .mdm)

    /// The whole table.
    package static let table = [
        alert, background, voip, complication, liveactivity, pushtotalk, location, fileprovider, controls, widgets, mdm,
    ]
}
