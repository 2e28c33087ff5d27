/// The host whose https links an app opens, and what a browser gets of them where the app is missing.
///
/// Of an app (its member `links`). The apps of a brand may share a host, of those that the
/// brand was given.
package struct LinkSettings: Codable, Equatable, Sendable {
    /// What Apple's devices are told (developer.apple.com, "Supporting associated domains").
    package struct IOS: Codable, Equatable, Sendable {
        /// Team and bundle id of each app, such as `TEAM123456.com.example.app`; 1 to 20.
        package var appIds: [String]

        /// Names apps.
        ///
        /// - Parameter appIds: Team and bundle id of each.
        package init(appIds: [String]) { self.appIds = appIds }
    }

    /// What Android's devices are told (developers.google.com, "Digital Asset Links").
    package struct Android: Codable, Equatable, Sendable {
        /// The app's package.
        package var packageName: String
        /// SHA-256 of the certificates that sign it, as 32 pairs of capital hexadecimal digits with colons; 1 to 20.
        package var sha256CertFingerprints: [String]

        /// Names an app.
        ///
        /// - Parameters:
        ///   - packageName: Its package.
        ///   - sha256CertFingerprints: What signs it.
        package init(packageName: String, sha256CertFingerprints: [String]) {
            self.packageName = packageName
            self.sha256CertFingerprints = sha256CertFingerprints
        }
    }

    /// Where a browser is sent that opened a link: pages or stores, https.
    package struct Fallback: Codable, Equatable, Sendable {
        /// On Apple's phones and tablets.
        package var ios: String?
        /// On Android.
        package var android: String?
        /// Everywhere else, and where a platform has none of its own.
        package var web: String?

        /// Names pages.
        ///
        /// - Parameters:
        ///   - ios: On Apple's phones and tablets.
        ///   - android: On Android.
        ///   - web: Everywhere else.
        package init(ios: String? = nil, android: String? = nil, web: String? = nil) {
            self.ios = ios
            self.android = android
            self.web = web
        }
    }

    /// The host in lower case, without a port.
    package var host: String
    /// The paths that the app opens, in Apple's patterns: `*` stands for any bytes, `?` for one; 1 to 50 of at most 256 bytes.
    package var paths: [String]
    /// The app on Apple's devices.
    package var ios: IOS?
    /// The app on Android.
    package var android: Android?
    /// Where browsers are sent.
    package var fallback: Fallback?
    /// Whether devices may offer passwords of the host in the app, and the app's on the host; nil stands for no.
    package var passwords: Bool?

    /// Takes an app's links.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - paths: The paths.
    ///   - ios: The app on Apple's devices.
    ///   - android: The app on Android.
    ///   - fallback: Where browsers are sent.
    ///   - passwords: Whether passwords of the host are the app's too.
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

    /// The longest path of a link, in bytes: as long as an event's link may be.
    package static let maxPathBytes = 2048

    /// Whether the app opens a path.
    ///
    /// - Parameter path: The path of a link, as it is written, without its query.
    /// - Returns: Whether a pattern takes it; false for one of more than ``maxPathBytes``.
    package func opens(_ path: String) -> Bool {
        var steps = 0
        return opens(path, steps: &steps)
    }

    /// The same, with a count of the bytes that were looked at.
    func opens(_ path: String, steps: inout Int) -> Bool {
        guard path.utf8.count <= Self.maxPathBytes else { return false }
        let bytes = path.utf8.span
        for pattern in paths where LinkPattern.matches(bytes, pattern.utf8.span, steps: &steps) { return true }
        return false
    }

    /// Whether a link is one of this host's that the app opens, so that nobody else's app can take it.
    ///
    /// - Parameter link: A link of an event.
    /// - Returns: Whether the association vouches for it.
    package func vouches(for link: String) -> Bool {
        guard let address = Address(link), address.host.utf8.elementsEqual(host.utf8) else { return false }
        return opens(address.path)
    }

    /// What of an https link says whose it is.
    package struct Address: Equatable, Sendable {
        /// The host in lower case.
        package var host: String
        /// The path as it is written, `/` when there is none.
        package var path: String

        /// Takes a link apart; nil for one that is not https, or names another port than that of https.
        ///
        /// - Parameter link: The link.
        package init?(_ link: String) {
            let scheme = link.utf8.prefix(8)
            guard scheme.elementsEqual("https://".utf8, by: { $0 == $1 || $0 == $1 - 0x20 && $1 >= UInt8(ascii: "a") })
            else { return nil }
            let rest = link.utf8.dropFirst(8)
            let authority = rest.prefix {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
            let parts = authority.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            // 443 is what https means without a port (RFC 9110 section 4.2.2).
            guard let host = parts.first, !host.isEmpty,
                parts.count == 1 || parts.count == 2 && parts[1].elementsEqual("443".utf8)
            else { return nil }
            self.host = Substring(host).lowercased()
            let path = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            self.path = path.isEmpty ? "/" : String(Substring(path))
        }
    }
}
