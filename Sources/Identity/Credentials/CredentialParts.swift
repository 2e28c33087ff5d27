internal import GatewayModel
internal import TextFormats

/// The parts of a new credential: validated, with generated secrets if the request has none.
struct CredentialParts: Sendable {
    /// Its id.
    let id: String
    /// Its public part.
    let details: CredentialDetails
    /// The password, of which only the hash is stored, and which is shown only once.
    let password: String?
    /// The secret material that the gateway needs again: stored sealed.
    let material: [UInt8]?
    /// Whether the material is a text that is shown to the operator.
    let showsMaterial: Bool

    /// Creates the parts; takes up to a second of CPU time when an RSA key is generated.
    ///
    /// - Throws: ``DirectoryError/invalid(_:)`` for invalid keys and secrets.
    init(_ request: CredentialRequest) throws(DirectoryError) {
        var password: String?
        var material: [UInt8]?
        var showsMaterial = false
        let prefix: String
        switch request {
        case .serviceAccount(let scopes):
            prefix = "sa_"
            details = .serviceAccount(scopes: scopes)
            password = Self.newSecret(32)
        case .apiKey:
            prefix = "api_"
            details = .apiKey
            password = Self.newSecret(32)
        case .sdkKey(let algorithm, let secret, let app, let limits):
            prefix = "sdk_"
            details = .sdkKey(algorithm: algorithm, app: app, limits: limits)
            material = try Self.hmacKey(secret, newLength: algorithm.keyLength)
            showsMaterial = true
        case .jwtIssuer(var issuer):
            prefix = "iss_"
            issuer.key.source = try Self.checked(issuer.key)
            details = .jwtIssuer(issuer)
        case .jweKey(let algorithm, let privateKey):
            prefix = "jwe_"
            let key = try Self.key("/privateKey") { () throws(KeyRejection) in
                guard let privateKey else { return try AsymmetricKey(newFor: .encryption(algorithm)) }
                // Parsed as it is later for tokens: a key that cannot be parsed must not be stored.
                _ = try OpeningKey(privatePEM: privateKey, algorithm: algorithm)
                return try AsymmetricKey(privatePEM: privateKey, for: .encryption(algorithm))
            }
            details = .jweKey(algorithm: algorithm, publicKey: key.publicKey)
            material = Array(key.privatePEM.utf8)
        case .identityProvider(var provider, let clientSecret):
            prefix = "idp_"
            provider.key.source = try Self.checked(provider.key)
            details = .identityProvider(provider)
            material = Array(clientSecret.utf8)
        case .customerTokenKey(let secret):
            prefix = "ctk_"
            details = .customerTokenKey
            material = try Self.hmacKey(secret, newLength: 32)
            showsMaterial = true
        case .tokenBroker(let app, let tokenUrl, let clientId, let keyId, let scope, let privateKey, let decider):
            prefix = "brk_"
            let key = try Self.key("/privateKey") { () throws(KeyRejection) in
                let key = try AsymmetricKey(privatePEM: privateKey, for: .signature(.es256))
                // Parsed as it is later for assertions: a key that cannot be parsed must not be stored.
                guard TokenBroker.signingKey(key.privatePEM.utf8) != nil else { throw .unreadable }
                return key
            }
            details = .tokenBroker(
                TokenBrokerDetails(
                    app: app,
                    tokenUrl: tokenUrl,
                    clientId: clientId,
                    keyId: keyId,
                    scope: scope,
                    decisionUrl: decider?.url,
                    publicKey: key.publicKey
                )
            )
            password = Self.newSecret(32)
            material = TokenBroker.material(privatePEM: key.privatePEM, decisionKey: decider?.secret.key)
        }
        id = prefix + Self.newSecret(12)
        self.password = password
        self.material = material
        self.showsMaterial = showsMaterial
    }

    /// The secret that is shown only once; nil for kinds whose secret only the gateway or the caller needs.
    var shownSecret: String? {
        if let password { return password }
        return showsMaterial ? material.map { String(decoding: $0, as: UTF8.self) } : nil
    }

    /// The length of an HMAC secret: a key shorter than its hash would be the weakest part (RFC 7518 section 3.2).
    static let secretBytes = 32...1024

    private static func newSecret(_ bytes: Int) -> String { StrictBase64.encode(SecureRandom.bytes(bytes), .url) }

    private static func hmacKey(_ imported: String?, newLength: Int) throws(DirectoryError) -> [UInt8] {
        guard let imported else { return Array(newSecret(newLength).utf8) }
        guard secretBytes.contains(imported.utf8.count) else {
            let detail = "must be \(secretBytes.lowerBound) to \(secretBytes.upperBound) bytes"
            throw .invalid([SettingsProblem(pointer: "/secret", detail: detail)])
        }
        return Array(imported.utf8)
    }

    /// Returns the source with the key in its canonical form.
    private static func checked(_ key: VerificationKey) throws(DirectoryError) -> VerificationKey.Source {
        guard case .key(let given) = key.source else { return key.source }
        return .key(
            try Self.key("/publicKey") { () throws(KeyRejection) in
                let read = try AsymmetricKey(publicPEM: given.publicKey, for: .signature(key.algorithm))
                // Parsed as it is later for signatures: a key that cannot be parsed must not be stored.
                _ = try VerifyingKey(
                    publicPEM: read.publicKey.publicKey,
                    algorithm: key.algorithm,
                    keyID: key.keyId
                )
                return read
            }.publicKey
        )
    }

    private static func key(
        _ pointer: String,
        _ make: () throws(KeyRejection) -> AsymmetricKey
    ) throws(DirectoryError) -> AsymmetricKey {
        do {
            return try make()
        } catch {
            throw .invalid([SettingsProblem(pointer: pointer, detail: error.text)])
        }
    }
}
