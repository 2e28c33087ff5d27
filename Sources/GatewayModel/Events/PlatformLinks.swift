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
}
