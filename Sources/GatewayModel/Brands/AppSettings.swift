/// The settings of an app (BrandsAndApps page).
///
/// They encode and decode as JSON, secrets included, so the encoded form is stored only sealed and never shown.
package struct AppSettings: Codable, Equatable, Sendable {
    /// The format of the pushes that an app understands.
    package enum Dialect: String, Codable, Sendable, CaseIterable {
        /// Switchboard's format (DevicesBadgesTaps page).
        case switchboard
        /// LivePerson's format.
        case liveperson
        /// The format of CCAI Platform (UJET).
        case ujet
        /// Bloomreach's format.
        case bloomreach
    }

    /// The platform of its devices.
    package var platform: DevicePlatform
    /// The access to APNs, if it has one.
    package var apns: APNsSettings?
    /// The access to FCM, if it has one.
    package var fcm: FCMSettings?
    /// The brand's push proxy, if that sends its pushes; the app has no other access then.
    package var pushProxy: PushProxySettings?
    /// The format of its pushes; nil is ``Dialect/switchboard``.
    package var dialect: Dialect?
    /// The host whose links it opens, if any.
    package var links: LinkSettings?
    /// The test device that gets a silent push at an interval, if any.
    package var canary: CanarySettings?
    /// The caller that set the endpoints; nil, in apps of earlier versions, is ``EndpointSetter/admin``.
    package var endpointsBy: EndpointSetter?

    /// Creates an app's settings.
    package init(
        platform: DevicePlatform,
        apns: APNsSettings? = nil,
        fcm: FCMSettings? = nil,
        dialect: Dialect? = nil
    ) {
        self.platform = platform
        self.apns = apns
        self.fcm = fcm
        self.dialect = dialect
    }

    /// The format of its pushes.
    package var format: Dialect { dialect ?? .switchboard }

    /// The transports that the app has a credential for, in a fixed order.
    package var pushTypes: [PushType] { PushType.allCases.filter { supports($0) } }

    /// Whether a badge push after a read on another device wakes the app: its APNs settings decide it for FCM too.
    package var wakesOnRead: Bool { apns?.wakesOnRead ?? false }

    /// Returns whether the app has a credential for a transport.
    package func supports(_ pushType: PushType) -> Bool { pushType.transport.settings?.isSet(self) ?? false }

    /// Returns the platform of a device that states none.
    ///
    /// - Returns: The app's platform if the transport can be used there, otherwise the transport's first one.
    package func defaultPlatform(for pushType: PushType) -> DevicePlatform {
        let platforms = pushType.transport.platforms
        return platforms.contains(platform) ? platform : platforms.first ?? platform
    }
}

/// The access of an app to FCM HTTP v1 (ProviderFacts page, B1).
package struct FCMSettings: Codable, Equatable, Sendable {
    /// The content of pushes to an Android device or a browser; an Apple device always gets a notification that the
    /// system shows.
    package enum Style: String, Codable, Sendable, CaseIterable {
        /// `notification` beside `data`: the system shows it.
        case notification
        /// Only `data`: the app shows it.
        case data
    }

    /// The members of Google's service account file that the gateway uses.
    package struct ServiceAccount: Codable, Equatable, Sendable {
        /// The Firebase project.
        package var projectId: String
        /// `kid` of the gateway's assertions.
        package var privateKeyId: String
        /// PKCS#8 PEM of an RSA key: secret.
        package var privateKey: String
        /// `iss` of the gateway's assertions.
        package var clientEmail: String
        /// The URL at which the assertion is exchanged, normally `https://oauth2.googleapis.com/token`.
        package var tokenUri: String

        private enum CodingKeys: String, CodingKey {
            case projectId = "project_id"
            case privateKeyId = "private_key_id"
            case privateKey = "private_key"
            case clientEmail = "client_email"
            case tokenUri = "token_uri"
        }

        /// Creates a service account.
        package init(
            projectId: String,
            privateKeyId: String,
            privateKey: String,
            clientEmail: String,
            tokenUri: String
        ) {
            self.projectId = projectId
            self.privateKeyId = privateKeyId
            self.privateKey = privateKey
            self.clientEmail = clientEmail
            self.tokenUri = tokenUri
        }
    }

    /// The Google service account.
    package var serviceAccount: ServiceAccount
    /// The content of pushes to an Android device; nil is ``Style/notification``.
    package var style: Style?
    /// The host in place of `https://fcm.googleapis.com:443`, for simulators and proxies.
    package var endpoint: String?

    /// Creates FCM settings.
    package init(serviceAccount: ServiceAccount, style: Style? = nil, endpoint: String? = nil) {
        self.serviceAccount = serviceAccount
        self.style = style
        self.endpoint = endpoint
    }
}
