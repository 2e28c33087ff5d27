/// A second token of a device, for another push type of APNs than the app's own (ProviderFacts page, A4).
///
/// It belongs to its registration: a PUT replaces all of them, and they are deleted or moved to another consumer with
/// it.
package struct ExtraToken: Hashable, Sendable {
    /// The push types that have tokens of their own, named as in `apns-push-type`.
    package enum Kind: String, Sendable, CaseIterable {
        /// Calls (PushKit).
        case voip
        /// A Live Activity, or the start of one.
        case liveactivity
        /// Push to Talk, the walkie-talkie API.
        case pushtotalk
        /// A complication of a watch (PushKit).
        case complication
        /// A file provider (PushKit).
        case fileprovider
        /// Location queries.
        case location
        /// Controls of WidgetKit.
        case controls
        /// Widgets of WidgetKit.
        case widgets
    }

    /// The maximum for one device: one of most types, and one for each of the few Live Activities that an app may show
    /// at a time.
    package static let maxPerDevice = 16

    /// The push type.
    package var kind: Kind
    /// Apple's token, hexadecimal in lower case: secret.
    package var token: String

    /// Creates a token.
    package init(kind: Kind, token: String) {
        self.kind = kind
        self.token = token
    }
}
