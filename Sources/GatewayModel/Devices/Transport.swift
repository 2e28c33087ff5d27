internal import TextFormats

/// The properties of a push type: an entry of a table that has one for each (``PushType/transport``).
///
/// A new push type needs an entry here and a provider.
package struct Transport: Sendable {
    /// The form of a device's token, with its limit.
    package enum TokenRule: Sendable {
        /// Pairs of hexadecimal digits in either case, at least one pair.
        case hexadecimal(maxDigits: Int)
        /// Visible ASCII characters, at least one.
        case visibleASCII(maxBytes: Int)
    }

    /// The member of an app's settings that gives access to the provider.
    package struct Settings: Sendable {
        /// The member's name in the app's JSON.
        package let key: String
        /// Whether an app has it.
        package let isSet: @Sendable (AppSettings) -> Bool
        /// Whether a change of an app's settings, from the first to the second, concerns the provider of this transport
        /// and not of all.
        package let isChanged: @Sendable (AppSettings, AppSettings) -> Bool
    }

    /// The push type.
    package let pushType: PushType
    /// The form of its tokens.
    package let tokenRule: TokenRule
    /// The platforms whose devices may use it; the first is that of devices that state none, if their app's is not
    /// among them.
    package let platforms: [DevicePlatform]
    /// The environments of its tokens.
    package let environments: [PushEnvironment]
    /// The settings that an app needs for it; nil while this version has no provider for it.
    package let settings: Settings?

    /// Whether this version can send pushes with it.
    package var isBuilt: Bool { settings != nil }

    /// The rule for a device's platform, as the detail of an error.
    package var platformRequirement: String {
        "must be \(platforms.map(\.rawValue).joined(separator: " or ")) for \(pushType.rawValue)"
    }

    /// Returns the environment of a device's token.
    ///
    /// - Parameter stated: The environment as the device states it: a debug build of an Android app may name one that
    ///   its transport does not have.
    /// - Returns: `stated` if the transport has it, otherwise production.
    package func environment(_ stated: PushEnvironment) -> PushEnvironment {
        environments.contains(stated) ? stated : .production
    }
}

// The table.
extension Transport {
    fileprivate static let apns = Transport(
        pushType: .apns,
        // Apple says that the length may change and names no limit; today's tokens have 64 digits (ProviderFacts page,
        // A10).
        tokenRule: .hexadecimal(maxDigits: 400),
        platforms: [.ios],
        environments: [.production, .sandbox],
        settings: Settings(
            key: "apns",
            isSet: { $0.apns != nil || $0.pushProxy != nil && $0.platform == .ios },
            isChanged: { $0.apns != $1.apns || $0.pushProxy != $1.pushProxy }
        )
    )

    fileprivate static let fcm = Transport(
        pushType: .fcm,
        // Google names no form (ProviderFacts page, B7).
        tokenRule: .visibleASCII(maxBytes: 4096),
        platforms: DevicePlatform.allCases,
        environments: [.production],
        settings: Settings(
            key: "fcm",
            isSet: { $0.fcm != nil || $0.pushProxy != nil },
            isChanged: {
                $0.fcm != $1.fcm || $0.wakesOnRead != $1.wakesOnRead || $0.pushProxy != $1.pushProxy
            }
        )
    )

    fileprivate static let huawei = Transport(
        pushType: .huawei,
        tokenRule: .visibleASCII(maxBytes: 4096),
        platforms: [.harmony, .android],
        environments: [.production],
        // Only a brand's push proxy reaches Huawei.
        settings: Settings(
            key: "pushProxy",
            isSet: { $0.pushProxy != nil && [.harmony, .android].contains($0.platform) },
            isChanged: { $0.pushProxy != $1.pushProxy }
        )
    )

    /// Its devices cannot register: its rules are decided with its provider.
    fileprivate static let webpush = Transport(
        pushType: .webpush,
        tokenRule: .visibleASCII(maxBytes: 4096),
        platforms: DevicePlatform.allCases,
        environments: [.production],
        settings: nil
    )
}

extension PushType {
    /// The push type's properties.
    package var transport: Transport {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        case .huawei: .huawei
        case .webpush: .webpush
        }
    }
}

extension Transport.TokenRule {
    /// The rule, as the detail of an error.
    package var requirement: String {
        switch self {
        case .hexadecimal(let most): "must be an even number of at most \(most) hexadecimal digits"
        case .visibleASCII(let most): "must be 1 to \(most) visible ASCII characters"
        }
    }

    /// Returns a token in its canonical form.
    ///
    /// - Parameter text: The token as a device sends it.
    /// - Returns: The token, hexadecimal digits in lower case; nil when it is invalid.
    package func normalised(_ text: String) -> String? {
        let bytes = text.utf8
        guard !bytes.isEmpty else { return nil }
        switch self {
        case .hexadecimal(let most):
            guard bytes.count <= most, bytes.count % 2 == 0, bytes.allSatisfy({ Hexadecimal.value(of: $0) != nil })
            else { return nil }
            return text.lowercased()
        case .visibleASCII(let most):
            guard bytes.count <= most, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
            return text
        }
    }
}
