package import GatewayModel

/// An app as operators may read it: encodes as the JSON of the BrandsAndApps page with a fingerprint (the first 8
/// hexadecimal digits of SHA-256 over the text) in place of each secret.
package struct RedactedApp: Sendable, Equatable, Encodable {
    /// An APNs key without its secret.
    package struct SandboxKey: Sendable, Equatable, Encodable {
        /// The key id.
        package var keyId: String
        /// The fingerprint of the private key.
        package var privateKeyFingerprint: String
    }

    /// APNs without its secrets: the members of a key, or those of a certificate.
    package struct APNs: Sendable, Equatable, Encodable {
        /// The team id.
        package var teamId: String?
        /// The key id.
        package var keyId: String?
        /// The fingerprint of the private key.
        package var privateKeyFingerprint: String?
        /// The second key for the sandbox.
        package var sandboxKey: SandboxKey?
        /// The SHA-256 of the certificate, in full: it is not secret.
        package var certificateFingerprint: String?
        /// The certificate's common name, as Apple wrote it.
        package var commonName: String?
        /// The topics that the certificate may send to.
        package var topics: [String]?
        /// The expiry of the certificate, RFC 3339.
        package var expiresAt: String?
        /// The bundle id.
        package var topic: String?
        /// The hosts in place of Apple's.
        package var endpoints: APNsSettings.Endpoints?
        /// Whether a badge push after a read on another device wakes the app; nil is false.
        package var wakeOnRead: Bool?
    }

    /// Google's service account without its secret.
    package struct ServiceAccount: Sendable, Equatable, Encodable {
        /// The Firebase project.
        package var projectId: String
        /// `kid` of the gateway's assertions.
        package var privateKeyId: String
        /// The fingerprint of the private key.
        package var privateKeyFingerprint: String
        /// `iss` of the gateway's assertions.
        package var clientEmail: String
        /// The URL at which the assertion is exchanged.
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
        /// The content of pushes to an Android device.
        package var style: FCMSettings.Style?
        /// The host in place of Google's.
        package var endpoint: String?
    }

    /// A push proxy without its secrets.
    package struct PushProxy: Sendable, Equatable, Encodable {
        /// The credentials of HTTP Basic.
        package struct Basic: Sendable, Equatable, Encodable {
            /// The user name.
            package var username: String
            /// The fingerprint of the password.
            package var passwordFingerprint: String
        }

        /// The URL.
        package var url: String
        /// The credentials, if it has some.
        package var basic: Basic?
        /// The fingerprints of the values of further header fields, by the name and `Fingerprint`.
        package var headers: [String: String]?
    }

    /// A canary without its secret.
    package struct Canary: Sendable, Equatable, Encodable {
        /// The fingerprint of the token.
        package var tokenFingerprint: String
        /// The transport.
        package var pushType: PushType
        /// The environment, if one was set.
        package var environment: PushEnvironment?
        /// The interval, in seconds.
        package var everySeconds: Int64
        /// Whether the device confirms each push, if that was set.
        package var expectReceipt: Bool?
    }

    /// The app.
    package var id: String
    /// The platform of its devices.
    package var platform: DevicePlatform
    /// The access to APNs.
    package var apns: APNs?
    /// The access to FCM.
    package var fcm: FCM?
    /// The brand's push proxy.
    package var pushProxy: PushProxy?
    /// The format of its pushes.
    package var dialect: AppSettings.Dialect?
    /// The host whose links it opens.
    package var links: LinkSettings?
    /// The test device that gets a silent push at an interval.
    package var canary: Canary?
    /// The caller that set the endpoints.
    package var endpointsBy: AppSettings.EndpointSetter
    /// The time at which it was last put, RFC 3339.
    package var updatedAt: String

    init(_ app: DirectoryApp) {
        id = app.id.rawValue
        platform = app.settings.platform
        dialect = app.settings.dialect
        links = app.settings.links
        canary = app.settings.canary.map { canary in
            Canary(
                tokenFingerprint: SecretHash.fingerprint(canary.token),
                pushType: canary.pushType,
                environment: canary.environment,
                everySeconds: canary.everySeconds,
                expectReceipt: canary.expectReceipt
            )
        }
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
        pushProxy = app.settings.pushProxy.map { proxy in
            PushProxy(
                url: proxy.url,
                basic: proxy.basic.map {
                    PushProxy.Basic(
                        username: $0.username,
                        passwordFingerprint: SecretHash.fingerprint($0.password)
                    )
                },
                headers: proxy.headers.map { headers in
                    Dictionary(
                        headers.map { ($0.key + "Fingerprint", SecretHash.fingerprint($0.value)) },
                        uniquingKeysWith: { first, _ in first }
                    )
                }
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
