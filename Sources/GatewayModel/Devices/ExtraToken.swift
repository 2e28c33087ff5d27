/// A second token of a device, for another kind of Apple's pushes than the app's own (ProviderFacts page, A4).
///
/// It lives with its registration: a PUT replaces all of them, and they end with it or go to another consumer with it.
package struct ExtraToken: Hashable, Sendable {
    /// The kinds of pushes that have tokens of their own, by the names of `apns-push-type`.
    package enum Kind: String, Sendable, CaseIterable {
        /// Calls (PushKit).
        case voip
        /// One Live Activity, or the start of such.
        case liveactivity
        /// The walkie-talkie of PushToTalk.
        case pushtotalk
        /// A complication of a watch (PushKit).
        case complication
        /// A file provider (PushKit).
        case fileprovider
        /// Queries of the location.
        case location
        /// Controls of WidgetKit.
        case controls
        /// Widgets of WidgetKit.
        case widgets
    }

    /// A device has at most so many: one of most kinds, and one for each of the few Live Activities that an app may show at
    /// a time.
    package static let maxPerDevice = 16

    /// The kind.
    package var kind: Kind
    /// Apple's token, hexadecimal in lower case: secret.
    package var token: String

    /// Takes a token.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - token: Apple's token.
    package init(kind: Kind, token: String) {
        self.kind = kind
        self.token = token
    }
}
