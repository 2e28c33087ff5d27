internal import GatewayModel
internal import TextFormats

/// Reads the member `links` of an app's body.
struct LinkBody {
    let object: BodyObject

    /// Nil when a member is invalid, which is recorded as an error.
    func settings(_ checks: inout FieldChecks) -> LinkSettings? {
        checks.rejectOthers(in: object, than: ["host", "paths", "ios", "android", "fallback", "passwords"])
        let host = text(object["host"], Self.hostRule, &checks, Self.host)
        let paths = texts(
            object["paths"],
            atMost: 50,
            "must begin with / and be printable ASCII, at most 256 characters",
            &checks,
            Self.path
        )
        let ios = checks.object(object["ios"]).flatMap { appleApps($0, &checks) }
        let android = checks.object(object["android"]).flatMap { androidApp($0, &checks) }
        let fallback = checks.object(object["fallback"]).map { pages($0, &checks) }
        let passwords = checks.flag(object["passwords"])
        if object["ios"].isEmpty, object["android"].isEmpty {
            checks.fail(object["host"].pointer, "requires ios or android")
        }
        guard let host, let paths else { return nil }
        let settings = LinkSettings(
            host: host,
            paths: paths,
            ios: ios,
            android: android,
            fallback: fallback,
            passwords: passwords
        )
        let place = object["fallback"].pointer
        for (name, page) in [("ios", fallback?.ios), ("android", fallback?.android), ("web", fallback?.web)] {
            if let page, settings.vouches(for: page) {
                checks.fail(place + "/" + name, "is a link of this host itself: browsers would be redirected in a loop")
            }
        }
        return settings
    }

    private func appleApps(_ object: BodyObject, _ checks: inout FieldChecks) -> LinkSettings.IOS? {
        checks.rejectOthers(in: object, than: ["appIds"])
        return texts(
            object["appIds"],
            atMost: 20,
            "must be team and bundle id, such as TEAM123456.com.example.app",
            &checks,
            Self.appID
        ).map(LinkSettings.IOS.init)
    }

    private func androidApp(_ object: BodyObject, _ checks: inout FieldChecks) -> LinkSettings.Android? {
        checks.rejectOthers(in: object, than: ["packageName", "sha256CertFingerprints"])
        let package = text(
            object["packageName"],
            "must be a package, such as com.example.app",
            &checks,
            Self.packageName
        )
        let fingerprints = texts(
            object["sha256CertFingerprints"],
            atMost: 20,
            "must be 32 pairs of hexadecimal digits with colons between them",
            &checks,
            Self.fingerprint
        )
        guard let package, let fingerprints else { return nil }
        return LinkSettings.Android(packageName: package, sha256CertFingerprints: fingerprints)
    }

    private func pages(_ object: BodyObject, _ checks: inout FieldChecks) -> LinkSettings.Fallback {
        checks.rejectOthers(in: object, than: ["ios", "android", "web"])
        func page(_ name: BoundedName) -> String? {
            guard !object[name].isEmpty else { return nil }
            return text(object[name], "must be an https URL", &checks, Self.page)
        }
        return LinkSettings.Fallback(ios: page("ios"), android: page("android"), web: page("web"))
    }

    // MARK: Shapes

    private func text(
        _ member: BodyMember,
        _ rule: String,
        _ checks: inout FieldChecks,
        _ shape: (String) -> String?
    ) -> String? {
        guard let text = checks.text(member, isRequired: true) else { return nil }
        // Every format is ASCII, and none is longer than a URL.
        let isPlain = text.utf8.count <= 2048 && text.utf8.allSatisfy { $0 < 0x80 }
        guard isPlain, let shaped = shape(text) else {
            checks.fail(member.pointer, rule)
            return nil
        }
        return shaped
    }

    private func texts(
        _ member: BodyMember,
        atMost limit: Int,
        _ rule: String,
        _ checks: inout FieldChecks,
        _ shape: (String) -> String?
    ) -> [String]? {
        guard let items = checks.items(member, atMost: limit, isRequired: true) else { return nil }
        if items.isEmpty { checks.fail(member.pointer, "must not be empty") }
        let texts = items.compactMap { text($0, rule, &checks, shape) }
        return texts.count == items.count && !texts.isEmpty ? texts : nil
    }

    static let hostRule = "must be a host name with a dot, without port"

    /// Returns a host in lower case; nil when the text is not a host.
    static func host(_ text: String) -> String? {
        guard text.utf8.count <= 253 else { return nil }
        let host = text.asciiLowercased
        let labels = host.byteSplit(".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.last?.utf8.contains(where: isLetter) == true else { return nil }
        for label in labels {
            guard (1...63).contains(label.utf8.count), label.utf8.first != UInt8(ascii: "-"),
                label.utf8.last != UInt8(ascii: "-"),
                label.utf8.allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") })
            else { return nil }
        }
        return host
    }

    private static func path(_ text: String) -> String? {
        // A character that must be escaped in a URL cannot be part of one.
        let refused = Set("\"<>\\^`{|}#".utf8)
        let isGood = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !refused.contains($0) }
        return text.hasPrefix("/") && text.utf8.count <= 256 && isGood ? text : nil
    }

    private static func appID(_ text: String) -> String? {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.count == 10, text.utf8.count <= 256,
            parts[0].utf8.allSatisfy({ isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
            parts[1].utf8.allSatisfy({
                isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            })
        else { return nil }
        return text
    }

    private static func packageName(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let areGood = parts.allSatisfy { part in
            guard let first = part.utf8.first, isLetter(first) else { return false }
            return part.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
        }
        return parts.count >= 2 && text.utf8.count <= 256 && areGood ? text : nil
    }

    private static func fingerprint(_ text: String) -> String? {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        let areGood = pairs.allSatisfy { pair in
            pair.utf8.count == 2 && pair.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil }
        }
        return pairs.count == 32 && areGood ? text.uppercased() : nil
    }

    private static func page(_ text: String) -> String? {
        let isGood = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
        guard text.hasPrefix("https://"), text.utf8.count <= 2048, isGood else { return nil }
        let host = text.dropFirst(8).prefix { !"/?#".contains($0) }
        return host.isEmpty || host.contains("@") ? nil : text
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
