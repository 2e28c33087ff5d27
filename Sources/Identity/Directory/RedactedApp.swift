package import GatewayModel

/// An app as operators may see it: encodes as the JSON of the BrandsAndApps page with a fingerprint (the first 8
/// hexadecimal digits of SHA-256 over the text) in place of each secret.
package struct RedactedApp: Sendable, Equatable, Encodable {
    /// An APNs key without its secret.
    package struct SandboxKey: Sendable, Equatable, Encodable {
        /// The key id.
        package var keyId: String
        /// What tells the private key from others.
        package var privateKeyFingerprint: String
    }

    /// APNs without its secrets: the members of a key, or those of a certificate.
    package struct APNs: Sendable, Equatable, Encodable {
        /// The team id.
        package var teamId: String?
        /// The key id.
        package var keyId: String?
        /// What tells the private key from others.
        package var privateKeyFingerprint: String?
        /// The second key for the sandbox.
        package var sandboxKey: SandboxKey?
        /// SHA-256 of the certificate, which is no secret, whole.
        package var certificateFingerprint: String?
        /// Whom the certificate is for, in Apple's words.
        package var commonName: String?
        /// What the certificate may send for.
        package var topics: [String]?
        /// When the certificate expires, RFC 3339.
        package var expiresAt: String?
        /// The bundle id.
        package var topic: String?
        /// Other hosts than Apple's.
        package var endpoints: APNsSettings.Endpoints?
        /// Whether a badge push after a read elsewhere wakes the app; nil stands for no.
        package var wakeOnRead: Bool?
    }

    /// Google's service account without its secret.
    package struct ServiceAccount: Sendable, Equatable, Encodable {
        /// The Firebase project.
        package var projectId: String
        /// `kid` of our assertions.
        package var privateKeyId: String
        /// What tells the private key from others.
        package var privateKeyFingerprint: String
        /// `iss` of our assertions.
        package var clientEmail: String
        /// Where the assertion is exchanged.
        package var tokenUri: String

        private enum CodingKeys: String, CodingKey {
            case projectId = "project_id"
            case privateKeyId = "private_key_id"
            case privateKeyFingerprint = "private_key_fingerprint"
            case clientEmail = "client_email"
            case tokenUri = "token_uri"
        }
    }

    /// FCM without its secrets.
    package struct FCM: Sendable, Equatable, Encodable {
        /// Google's service account.
        package var serviceAccount: ServiceAccount
        /// What an Android device gets.
        package var style: FCMSettings.Style?
        /// Another host than Google's.
        package var endpoint: String?
    }

    /// The app.
    package var id: String
    /// What kind of devices it runs on.
    package var platform: DevicePlatform
    /// How it reaches APNs.
    package var apns: APNs?
    /// How it reaches FCM.
    package var fcm: FCM?
    /// How its devices know their pushes.
    package var dialect: AppSettings.Dialect?
    /// The host whose links it opens.
    package var links: LinkSettings?
    /// Who set the endpoints.
    package var endpointsBy: AppSettings.EndpointSetter
    /// When it was last put, RFC 3339.
    package var updatedAt: String

    init(_ app: DirectoryApp) {
        id = app.id.rawValue
        platform = app.settings.platform
        dialect = app.settings.dialect
        links = app.settings.links
        endpointsBy = app.settings.endpointsBy ?? .admin
        updatedAt = app.updatedAt.rfc3339
        apns = app.settings.apns.map { APNs($0, app.certificate) }
        fcm = app.settings.fcm.map { fcm in
            FCM(
                serviceAccount: ServiceAccount(
                    projectId: fcm.serviceAccount.projectId,
                    privateKeyId: fcm.serviceAccount.privateKeyId,
                    privateKeyFingerprint: SecretHash.fingerprint(fcm.serviceAccount.privateKey),
                    clientEmail: fcm.serviceAccount.clientEmail,
                    tokenUri: fcm.serviceAccount.tokenUri
                ),
                style: fcm.style,
                endpoint: fcm.endpoint
            )
        }
    }
}

extension RedactedApp.APNs {
    init(_ settings: APNsSettings, _ certificate: APNsCertificateFacts?) {
        topic = settings.topic
        endpoints = settings.endpoints
        wakeOnRead = settings.wakesOnRead ? true : nil
        switch settings.authentication {
        case .token(let token):
            teamId = token.teamId
            keyId = token.keyId
            privateKeyFingerprint = SecretHash.fingerprint(token.privateKey)
            sandboxKey = token.sandboxKey.map { key in
                RedactedApp.SandboxKey(
                    keyId: key.keyId,
                    privateKeyFingerprint: SecretHash.fingerprint(key.privateKey)
                )
            }
        case .certificate:
            certificateFingerprint = certificate?.fingerprint
            commonName = certificate?.commonName
            topics = certificate?.topics
            expiresAt = certificate?.expiresAt.rfc3339
        }
    }
}
