/// The host whose https links an app opens, and the pages that a browser gets for them when the app is not installed.
///
/// The member `links` of an app. Apps of a brand may share a host, among those that were given to the brand.
package struct LinkSettings: Codable, Equatable, Sendable {
    /// The apps in the association file for Apple's devices (developer.apple.com, "Supporting associated domains").
    package struct IOS: Codable, Equatable, Sendable {
        /// The team and bundle id of each app, such as `TEAM123456.com.example.app`; 1 to 20.
        package var appIds: [String]

        /// Creates the settings for Apple's devices.
        package init(appIds: [String]) { self.appIds = appIds }
    }

    /// The app in the association file for Android devices (developers.google.com, "Digital Asset Links").
    package struct Android: Codable, Equatable, Sendable {
        /// The app's package.
        package var packageName: String
        /// The SHA-256 of the certificates that sign it, as 32 pairs of capital hexadecimal digits with colons; 1 to
        /// 20.
        package var sha256CertFingerprints: [String]

        /// Creates the settings for Android devices.
        package init(packageName: String, sha256CertFingerprints: [String]) {
            self.packageName = packageName
            self.sha256CertFingerprints = sha256CertFingerprints
        }
    }

    /// The pages or app stores to which a browser is redirected that opened a link, https.
    package struct Fallback: Codable, Equatable, Sendable {
        /// The page on Apple's phones and tablets.
        package var ios: String?
        /// The page on Android.
        package var android: String?
        /// The page everywhere else, and on a platform without one of its own.
        package var web: String?

        /// Creates fallbacks.
        package init(ios: String? = nil, android: String? = nil, web: String? = nil) {
            self.ios = ios
            self.android = android
            self.web = web
        }
    }

    /// The host in lower case, without a port.
    package var host: String
    /// The paths that the app opens, in Apple's patterns: `*` stands for any bytes, `?` for one; 1 to 50 of at most 256
    /// bytes.
    package var paths: [String]
    /// The app on Apple's devices.
    package var ios: IOS?
    /// The app on Android.
    package var android: Android?
    /// The pages to which browsers are redirected.
    package var fallback: Fallback?
    /// Whether devices may offer the host's passwords in the app, and the app's passwords on the host; nil is false.
    package var passwords: Bool?

    /// Creates an app's links.
    package init(
        host: String,
        paths: [String],
        ios: IOS? = nil,
        android: Android? = nil,
        fallback: Fallback? = nil,
        passwords: Bool? = nil
    ) {
        self.host = host
        self.paths = paths
        self.ios = ios
        self.android = android
        self.fallback = fallback
        self.passwords = passwords
    }

    /// The maximum length of a link's path, in bytes: as long as an event's link may be.
    package static let maxPathBytes = 2048

    /// Returns whether the app opens a path of a link, as it is written and without its query; false for one of more
    /// than ``maxPathBytes``.
    package func opens(_ path: String) -> Bool {
        var steps = 0
        return opens(path, steps: &steps)
    }

    /// Returns the same, and counts the bytes that were examined.
    func opens(_ path: String, steps: inout Int) -> Bool {
        guard path.utf8.count <= Self.maxPathBytes else { return false }
        let bytes = path.utf8.span
        for pattern in paths where LinkPattern.matches(bytes, pattern.utf8.span, steps: &steps) { return true }
        return false
    }

    /// Returns whether the association file covers a link, which is then on this host and opened by the app, so that no
    /// other app can claim it.
    package func vouches(for link: String) -> Bool {
        guard let address = Address(link), address.host.utf8.elementsEqual(host.utf8) else { return false }
        return opens(address.path)
    }

    /// The host and path of an https link.
    package struct Address: Equatable, Sendable {
        /// The host in lower case.
        package var host: String
        /// The path as it is written, `/` when there is none.
        package var path: String

        /// Parses a link; nil for one that is not https, or has another port than that of https.
        package init?(_ link: String) {
            let scheme = link.utf8.prefix(8)
            guard scheme.elementsEqual("https://".utf8, by: { $0 == $1 || $0 == $1 - 0x20 && $1 >= UInt8(ascii: "a") })
            else { return nil }
            let rest = link.utf8.dropFirst(8)
            let authority = rest.prefix {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
            let parts = authority.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            // 443 is the port of https when none is written (RFC 9110 section 4.2.2).
            guard let host = parts.first, !host.isEmpty,
                parts.count == 1 || parts.count == 2 && parts[1].elementsEqual("443".utf8)
            else { return nil }
            self.host = Substring(host).lowercased()
            let path = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            self.path = path.isEmpty ? "/" : String(Substring(path))
        }
    }
}
