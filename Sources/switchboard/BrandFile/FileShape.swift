/// The members that a part of a brand's file may have; the gateway checks their values.
indirect enum FileShape: Sendable {
    /// The content of a secret, which determines how its file is read and its fingerprint computed.
    enum Secret: Sendable {
        /// A text; a line break at its end is not part of it.
        case text
        /// The token of a device; the gateway stores it in the canonical form of its transport.
        case token
        /// A key in PEM, as the file has it.
        case key
        /// A key in PEM whose public half the gateway shows.
        case privateKey
        /// A certificate with its key: PEM, or a `.p12` file.
        case certificate
    }

    /// A value.
    case value
    /// A secret: `{file: PATH}`.
    case secret(Secret)
    /// A public key: PEM, or `{file: PATH}`.
    case publicKey
    /// Google's service account: its members, or `{file: PATH}`.
    case serviceAccount
    /// An object.
    case members([String: FileShape])
    /// An object whose members have names that the user chose.
    case named(FileShape)
    /// A list.
    case list(FileShape)

    /// The whole file.
    ///
    /// A test compares the parts with the API description.
    static let file = FileShape.members([
        "brand": .members(["id": .value, "name": .value, "settings": settings]),
        "apps": .named(app), "credentials": .list(credential), "hooks": .named(hook),
    ])

    /// The settings of a brand.
    static let settings = FileShape.members([
        "preview": .value, "presence": .value, "suppressWhileWindowOpen": .value, "messageTtlSeconds": .value,
        "retentionDays": .value, "sessionTtlSeconds": .value, "dedupeHours": .value, "staleDeviceDays": .value,
        "anonymousConsumers": .value, "anonymousSessionTtlSeconds": .value, "anonymousMerge": .value,
        "anonymousMergeDays": .value, "singleDevice": .value, "summaryThreshold": .value,
        "campaignRatePerSecond": .value, "showExpiredProactive": .value, "linkHosts": .list(.value),
        "allowedOrigins": .list(.value), "customerTokensRequired": .value, "readableProperties": .list(.value),
        "campaignTemplates": .named(.value),
        "consentCategories": .list(
            .members([
                "id": .value, "legitimateInterest": .value, "translations": .named(values("name", "description")),
            ])
        ),
        "engagements": .list(values("id", "campaignId", "entryPoints", "app", "skill", "language", "surveyId")),
        "objective": values("percent", "withinSeconds"),
        "quietHours": values("from", "to", "timeZone", "mode"),
        "templates": .members(["agent": texts, "proactive": texts, "c2m": texts, "summary": texts]),
        "wire": values("copilot", "ccai", "talkdesk", "bloomreach", "liveperson", "gorush"),
        "webhook": .members(["url": .value, "types": .list(.value), "secret": .secret(.text)]),
    ])

    /// An app.
    static let app = FileShape.members([
        "platform": .value, "dialect": .value,
        "apns": .members([
            "teamId": .value, "keyId": .value, "privateKey": .secret(.key),
            "sandboxKey": .members(["keyId": .value, "privateKey": .secret(.key)]),
            "certificate": .secret(.certificate), "password": .secret(.text), "topic": .value,
            "endpoints": values("production", "sandbox"), "wakeOnRead": .value,
        ]),
        "fcm": .members(["serviceAccount": .serviceAccount, "style": .value, "endpoint": .value]),
        "pushProxy": .members([
            "url": .value, "basic": .members(["username": .value, "password": .secret(.text)]),
            "headers": .named(.secret(.text)),
        ]),
        "links": .members([
            "host": .value, "paths": .list(.value), "ios": .members(["appIds": .list(.value)]),
            "android": .members(["packageName": .value, "sha256CertFingerprints": .list(.value)]),
            "fallback": values("ios", "android", "web"), "passwords": .value,
        ]),
        "canary": .members([
            "token": .secret(.token), "pushType": .value, "environment": .value, "everySeconds": .value,
            "expectReceipt": .value,
        ]),
    ])

    /// A helpdesk's webhook.
    static let hook = FileShape.members([
        "kind": .value, "secret": .secret(.text), "signatureHeader": .value, "pathSecret": .value, "mapping": .value,
        "reply": .members(["url": .value, "accountId": .value, "token": .secret(.text)]),
    ])

    /// The members of Google's service account that the gateway uses.
    static let serviceAccountMembers: [String: FileShape] = [
        "project_id": .value, "private_key_id": .value, "private_key": .secret(.key), "client_email": .value,
        "token_uri": .value,
    ]

    /// A credential of any kind.
    static let credential = FileShape.members([
        "kind": .value, "name": .value, "expiresAt": .value, "scopes": .list(.value), "algorithm": .value,
        "secret": .secret(.text), "app": .value, "issuer": .value, "issuerDisplayName": .value, "audience": .value,
        "keyId": .value, "publicKey": .publicKey, "jwksUrl": .value, "privateKey": .secret(.privateKey),
        "tokenEndpoint": .value, "tokenUrl": .value, "clientId": .value, "clientSecret": .secret(.text),
        "clientAuth": .value, "redirectUris": .list(.value), "pkce": .value, "scope": .value,
        "maxLifetimeSeconds": .value, "singleUse": .value, "backend": .value,
        "decision": .members(["url": .value, "secret": .secret(.text)]),
    ])

    /// The names of an object's members; none for other shapes.
    var names: Set<String> {
        if case .members(let members) = self { Set(members.keys) } else { [] }
    }

    /// Templates by locale.
    private static let texts = FileShape.named(values("title", "body"))

    private static func values(_ names: String...) -> FileShape {
        .members(Dictionary(uniqueKeysWithValues: names.map { ($0, FileShape.value) }))
    }
}
