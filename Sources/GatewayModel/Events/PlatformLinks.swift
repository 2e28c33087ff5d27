internal import TextFormats

/// A link for each platform; an iOS device never gets the Android one (R126).
package struct PlatformLinks: Hashable, Sendable {
    /// The link for iOS devices.
    package var ios: String?
    /// The link for Android devices, and for Huawei's.
    package var android: String?
    /// The link for browsers.
    package var web: String?

    /// Takes a link for each platform.
    ///
    /// - Parameters:
    ///   - ios: The link for iOS devices.
    ///   - android: The link for Android and Huawei devices.
    ///   - web: The link for browsers.
    package init(ios: String? = nil, android: String? = nil, web: String? = nil) {
        self.ios = ios
        self.android = android
        self.web = web
    }

    /// The link for one platform.
    ///
    /// - Parameter platform: The platform of the device.
    /// - Returns: Nil when the event names none for it.
    package func link(for platform: DevicePlatform) -> String? {
        switch platform {
        case .ios: ios
        case .android, .harmony: android
        case .web: web
        }
    }

    /// The link that a device gets.
    ///
    /// One of an app's own scheme may be claimed by any app, so an https link of the event that the app's association
    /// vouches for goes in its place (R128).
    ///
    /// - Parameters:
    ///   - platform: The platform of the device.
    ///   - links: The host whose links the app opens.
    /// - Returns: The link, and whether any app could have claimed it; nil when the event names none for the platform.
    package func choice(
        for platform: DevicePlatform,
        opening links: LinkSettings?
    ) -> (text: String, isUnverified: Bool)? {
        guard let link = link(for: platform) else { return nil }
        guard !Self.isKnownScheme(link) else { return (link, false) }
        if let web, platform != .web, let links, links.vouches(for: web) { return (web, false) }
        return (link, true)
    }

    /// https, and what the systems act on by themselves (RFC 3966, RFC 6068).
    private static func isKnownScheme(_ link: String) -> Bool {
        let scheme = link.byteSplit(":", maxSplits: 1, omittingEmptySubsequences: false)[0]
        guard let name = BoundedName(lowercasing: scheme) else { return false }
        return ["https", "tel", "mailto"].contains(name)
    }
}
