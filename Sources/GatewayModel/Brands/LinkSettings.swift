/// The host whose https links an app opens, and what a browser gets of them where the app is missing.
///
/// Of an app (`http-api.md` section 2, `links`). The apps of a brand may share a host; two brands may not.
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
    /// The paths that the app opens, in Apple's patterns: `*` stands for any characters, `?` for one; 1 to 50.
    package var paths: [String]
    /// The app on Apple's devices.
    package var ios: IOS?
    /// The app on Android.
    package var android: Android?
    /// Where browsers are sent.
    package var fallback: Fallback?

    /// Takes an app's links.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - paths: The paths.
    ///   - ios: The app on Apple's devices.
    ///   - android: The app on Android.
    ///   - fallback: Where browsers are sent.
    package init(
        host: String,
        paths: [String],
        ios: IOS? = nil,
        android: Android? = nil,
        fallback: Fallback? = nil
    ) {
        self.host = host
        self.paths = paths
        self.ios = ios
        self.android = android
        self.fallback = fallback
    }

    /// Whether the app opens a path.
    ///
    /// - Parameter path: The path of a link, as it is written, without its query.
    /// - Returns: Whether a pattern takes it.
    package func opens(_ path: String) -> Bool { paths.contains { Self.matches(path.utf8, $0.utf8) } }

    /// Whether a link is one of this host's that the app opens, so that nobody else's app can take it.
    ///
    /// - Parameter link: A link of an event.
    /// - Returns: Whether the association vouches for it.
    package func vouches(for link: String) -> Bool {
        guard let address = Address(link), address.host == host else { return false }
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
            guard link.prefix(8).lowercased() == "https://" else { return nil }
            let rest = link.dropFirst(8)
            let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
            host = rest[..<end].lowercased()
            // 443 is what https means without a port (RFC 9110 section 4.2.2).
            if host.hasSuffix(":443") { host.removeLast(4) }
            guard !host.isEmpty, !host.contains(":") else { return nil }
            let path = rest[end...].prefix { $0 != "?" && $0 != "#" }
            self.path = path.isEmpty ? "/" : String(path)
        }
    }

    /// In time of the lengths' product at most: after a star only the last one is ever tried again.
    private static func matches(_ text: String.UTF8View, _ pattern: String.UTF8View) -> Bool {
        var (place, wanted) = (text.startIndex, pattern.startIndex)
        var star: (wanted: String.Index, place: String.Index)?
        while place < text.endIndex {
            if wanted < pattern.endIndex, pattern[wanted] == UInt8(ascii: "*") {
                wanted = pattern.index(after: wanted)
                star = (wanted, place)
            } else if wanted < pattern.endIndex, [text[place], UInt8(ascii: "?")].contains(pattern[wanted]) {
                (place, wanted) = (text.index(after: place), pattern.index(after: wanted))
            } else if let last = star {
                place = text.index(after: last.place)
                wanted = last.wanted
                star = (wanted, place)
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
