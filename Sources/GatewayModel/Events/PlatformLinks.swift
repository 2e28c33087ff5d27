internal import TextFormats

/// The links for the platforms; an iOS device never gets the Android one (R126).
package struct PlatformLinks: Hashable, Sendable {
    /// The link for iOS devices.
    package var ios: String?
    /// The link for Android and Huawei devices.
    package var android: String?
    /// The link for browsers.
    package var web: String?

    /// Creates links.
    package init(ios: String? = nil, android: String? = nil, web: String? = nil) {
        self.ios = ios
        self.android = android
        self.web = web
    }

    /// Returns the link for one platform; nil when the event has none for it.
    package func link(for platform: DevicePlatform) -> String? {
        switch platform {
        case .ios: ios
        case .android, .harmony: android
        case .web: web
        }
    }

    /// Returns the link that a device gets.
    ///
    /// Any app may claim a link with an app's own scheme. So it is replaced by the event's https link if the app's
    /// association file covers that link (R128). An https link that it does not cover opens another app or a browser
    /// (R197); in a browser no app claims it.
    ///
    /// - Parameters:
    ///   - platform: The platform of the device.
    ///   - links: The host whose links the app opens.
    /// - Returns: The link, and whether another app could have claimed it; nil when the event has none for the platform.
    package func choice(
        for platform: DevicePlatform,
        opening links: LinkSettings?
    ) -> (text: String, isUnverified: Bool)? {
        guard let link = link(for: platform) else { return nil }
        let scheme = Self.scheme(of: link)
        // The systems handle these themselves (RFC 3966, RFC 6068).
        if scheme == "tel" || scheme == "mailto" { return (link, false) }
        if scheme == "https" { return (link, platform != .web && links?.vouches(for: link) != true) }
        if let web, platform != .web, let links, links.vouches(for: web) { return (web, false) }
        return (link, true)
    }

    /// Returns the scheme in lower case; nil for one that is longer than any known.
    private static func scheme(of link: String) -> BoundedName? {
        BoundedName(lowercasing: link.byteSplit(":", maxSplits: 1, omittingEmptySubsequences: false)[0])
    }
}
