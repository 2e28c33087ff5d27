/// An app as an operator configures it (BrandsAndApps page); encodes and decodes as its JSON, secrets included, so
/// its encoded form is only ever stored sealed and never shown.
package struct AppSettings: Codable, Equatable, Sendable {
    /// How a device knows its pushes.
    package enum Dialect: String, Codable, Sendable, CaseIterable {
        /// Our own shape (DevicesBadgesTaps page).
        case switchboard
        /// LivePerson's shape.
        case liveperson
        /// UJET's shape.
        case ujet
        /// Bloomreach's shape.
        case bloomreach
    }

    /// What kind of devices it runs on.
    package var platform: DevicePlatform
    /// How it reaches APNs, if it does.
    package var apns: APNsSettings?
    /// How it reaches FCM, if it does.
    package var fcm: FCMSettings?
    /// How its devices know their pushes; nil is ``Dialect/switchboard``.
    package var dialect: Dialect?
    /// The host whose links it opens, if it has one.
    package var links: LinkSettings?
    /// Who set the endpoints; nil, as apps of earlier versions have it, is ``EndpointSetter/admin``.
    package var endpointsBy: EndpointSetter?

    /// Takes an app's settings.
    ///
    /// - Parameters:
    ///   - platform: What kind of devices it runs on.
    ///   - apns: How it reaches APNs.
    ///   - fcm: How it reaches FCM.
    ///   - dialect: How its devices know their pushes.
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

    /// Whether the app has a credential for a transport.
    ///
    /// - Parameter pushType: The transport of a device.
    /// - Returns: True when devices of that kind may register.
    package func supports(_ pushType: PushType) -> Bool {
        switch pushType {
        case .apns: apns != nil
        case .fcm: fcm != nil
        case .huawei, .webpush: false
        }
    }
}

/// FCM HTTP v1 of an app (ProviderFacts page, B1).
package struct FCMSettings: Codable, Equatable, Sendable {
    /// What an Android device or a browser gets; a device of Apple always gets what the system shows.
    package enum Style: String, Codable, Sendable, CaseIterable {
        /// `notification` beside `data`: the system shows it.
        case notification
        /// Only `data`: the app shows it.
        case data
    }

    /// The parts of Google's service account file that we use.
    package struct ServiceAccount: Codable, Equatable, Sendable {
        /// The Firebase project.
        package var projectId: String
        /// `kid` of our assertions.
        package var privateKeyId: String
        /// PKCS#8 PEM of an RSA key: secret.
        package var privateKey: String
        /// `iss` of our assertions.
        package var clientEmail: String
        /// Where the assertion is exchanged, normally `https://oauth2.googleapis.com/token`.
        package var tokenUri: String

        private enum CodingKeys: String, CodingKey {
            case projectId = "project_id"
            case privateKeyId = "private_key_id"
            case privateKey = "private_key"
            case clientEmail = "client_email"
            case tokenUri = "token_uri"
        }

        /// Takes a service account.
        ///
        /// - Parameters:
        ///   - projectId: The Firebase project.
        ///   - privateKeyId: `kid` of our assertions.
        ///   - privateKey: PKCS#8 PEM of an RSA key.
        ///   - clientEmail: `iss` of our assertions.
        ///   - tokenUri: Where the assertion is exchanged.
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

    /// Google's service account.
    package var serviceAccount: ServiceAccount
    /// What an Android device gets; nil is ``Style/notification``.
    package var style: Style?
    /// In place of `https://fcm.googleapis.com:443`, for simulators and proxies.
    package var endpoint: String?

    /// Takes FCM's settings.
    ///
    /// - Parameters:
    ///   - serviceAccount: Google's service account.
    ///   - style: What an Android device gets.
    ///   - endpoint: In place of Google's host.
    package init(serviceAccount: ServiceAccount, style: Style? = nil, endpoint: String? = nil) {
        self.serviceAccount = serviceAccount
        self.style = style
        self.endpoint = endpoint
    }
}
