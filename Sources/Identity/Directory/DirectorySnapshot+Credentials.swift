internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

extension DirectorySnapshot {
    /// Inserts a credential: opens its secret and parses its key, if it has them.
    ///
    /// A wrong master key is detected here, and no token pays for the parsing.
    mutating func insert(_ credential: StoredCredential, _ box: SecretBox) throws(DirectoryError) {
        let what = "credential \(credential.brand)/\(credential.id)"
        var secret: [UInt8]?
        if let sealed = credential.sealedSecret {
            let context = Directory.sealingContext(brand: credential.brand, credential: credential.id)
            do { secret = try box.open(sealed, context: context) } catch {
                throw DirectoryError(opening: error, what: what)
            }
        }
        switch credential.details {
        case .serviceAccount(let scopes):
            guard let hash = credential.secretHash else { throw .damaged(what: what) }
            serviceAccounts[BoundedName(known: credential.id)] = ServiceAccount(
                identity: ServiceAccountIdentity(
                    id: credential.id,
                    name: credential.name,
                    brand: credential.brand,
                    scopes: Set(scopes)
                ),
                secretHash: hash,
                expiresAt: credential.expiresAt
            )
        case .sdkKey(let algorithm, let app, let limits):
            guard let secret else { throw .damaged(what: what) }
            sdkKeys[KeyName(credential.name)] = SDKKey(
                id: credential.id,
                name: credential.name,
                brand: credential.brand,
                app: app,
                algorithm: algorithm,
                limits: limits,
                secret: secret,
                expiresAt: credential.expiresAt
            )
        case .jwtIssuer(let details):
            insert(
                JWTIssuer(
                    id: credential.id,
                    name: credential.name,
                    brand: credential.brand,
                    details: details,
                    key: try Self.key(details.key, what),
                    expiresAt: credential.expiresAt,
                    createdAt: credential.createdAt
                )
            )
        case .jweKey(let algorithm, _):
            let pem = secret.flatMap { String(validating: $0, as: UTF8.self) }
            guard let pem, let key = try? OpeningKey(privatePEM: pem, algorithm: algorithm) else {
                throw .damaged(what: what)
            }
            insert(
                JWEKey(
                    id: credential.id,
                    brand: credential.brand,
                    key: key,
                    expiresAt: credential.expiresAt,
                    createdAt: credential.createdAt
                )
            )
        case .identityProvider(let details):
            guard let secret else { throw .damaged(what: what) }
            insert(
                IdentityProvider(
                    credentialID: credential.id,
                    details: details,
                    clientSecret: secret,
                    key: try Self.key(details.key, what),
                    expiresAt: credential.expiresAt,
                    createdAt: credential.createdAt
                ),
                of: credential.brand
            )
        case .tokenBroker(let details):
            guard let secret, let broker = TokenBroker(credential, details, material: secret) else {
                throw .damaged(what: what)
            }
            let key = AppKey(brand: credential.brand, app: details.app)
            tokenBrokers[key, default: []].append(broker)
            tokenBrokers[key]?.sort { ($0.createdAt, $0.credentialID) > ($1.createdAt, $1.credentialID) }
        case .apiKey:
            guard let hash = credential.secretHash else { throw .damaged(what: what) }
            apiKeys[hash] = APIKey(caller: Self.holder(credential), expiresAt: credential.expiresAt)
        case .customerTokenKey:
            guard let secret else { throw .damaged(what: what) }
            customerTokenKeys[BoundedName(known: credential.id)] = CustomerTokenKey(
                caller: Self.holder(credential),
                secret: secret,
                expiresAt: credential.expiresAt,
                createdAt: credential.createdAt
            )
        }
        credentials[BoundedName(known: credential.id)] = credential
    }

    mutating func removeCredential(_ id: String) {
        guard let credential = BoundedName(id).flatMap({ credentials.removeValue(forKey: $0) }) else { return }
        switch credential.details {
        case .serviceAccount: serviceAccounts[BoundedName(known: id)] = nil
        case .sdkKey: sdkKeys[KeyName(credential.name)] = nil
        case .jwtIssuer(let details):
            let key = IssuerKey(brand: credential.brand, issuer: KeyName(details.issuer))
            jwtIssuers[key]?.removeAll { $0.id == id }
            if jwtIssuers[key]?.isEmpty == true { jwtIssuers[key] = nil }
        case .jweKey:
            jweKeys[credential.brand]?.removeAll { $0.id == id }
            if jweKeys[credential.brand]?.isEmpty == true { jweKeys[credential.brand] = nil }
        case .identityProvider:
            identityProviders[credential.brand]?.removeAll { $0.credentialID == id }
            if identityProviders[credential.brand]?.isEmpty == true { identityProviders[credential.brand] = nil }
        case .tokenBroker(let details):
            let key = AppKey(brand: credential.brand, app: details.app)
            tokenBrokers[key]?.removeAll { $0.credentialID == id }
            if tokenBrokers[key]?.isEmpty == true { tokenBrokers[key] = nil }
        case .apiKey: if let hash = credential.secretHash { apiKeys[hash] = nil }
        case .customerTokenKey: customerTokenKeys[BoundedName(known: id)] = nil
        }
    }

    /// Returns the holder of a credential as a caller without any scope.
    private static func holder(_ credential: StoredCredential) -> ServiceAccountIdentity {
        ServiceAccountIdentity(
            id: credential.id,
            name: credential.name,
            brand: credential.brand,
            scopes: []
        )
    }

    /// Records the name that tokens use for a revoked credential, so that they are rejected as `revoked`.
    mutating func rememberRevoked(_ credential: StoredCredential) {
        let brand = credential.brand
        switch credential.details {
        case .sdkKey: revokedSDKKeys.insert(KeyName(credential.name), of: brand)
        case .jweKey: revokedJWEKeys.insert(KeyName(credential.id), of: brand)
        case .jwtIssuer(let details):
            let key = IssuerKey(brand: brand, issuer: KeyName(details.issuer))
            revokedIssuers.insert(RevokedIssuer(key: key, keyID: nil), of: brand)
            if let keyID = details.key.keyId {
                revokedIssuers.insert(RevokedIssuer(key: key, keyID: KeyName(keyID)), of: brand)
            }
        case .customerTokenKey: revokedCustomerTokenKeys.insert(BoundedName(known: credential.id), of: brand)
        case .serviceAccount, .apiKey, .identityProvider, .tokenBroker: break
        }
    }

    /// Removes a brand's revoked names.
    mutating func forgetRevoked(of brand: BrandID) {
        revokedSDKKeys.removeAll(of: brand)
        revokedIssuers.removeAll(of: brand)
        revokedJWEKeys.removeAll(of: brand)
        revokedCustomerTokenKeys.removeAll(of: brand)
    }

    private mutating func insert(_ issuer: JWTIssuer) {
        let key = IssuerKey(brand: issuer.brand, issuer: KeyName(issuer.details.issuer))
        jwtIssuers[key, default: []].append(issuer)
        jwtIssuers[key]?.sort { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
    }

    private mutating func insert(_ key: JWEKey) {
        jweKeys[key.brand, default: []].append(key)
        jweKeys[key.brand]?.sort { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
    }

    private mutating func insert(_ provider: IdentityProvider, of brand: BrandID) {
        identityProviders[brand, default: []].append(provider)
        identityProviders[brand]?.sort { ($0.createdAt, $0.credentialID) > ($1.createdAt, $1.credentialID) }
    }

    /// Returns the fixed key; nil when the keys are published.
    private static func key(_ key: VerificationKey, _ what: String) throws(DirectoryError) -> VerifyingKey? {
        guard case .key(let given) = key.source else { return nil }
        do {
            return try VerifyingKey(publicPEM: given.publicKey, algorithm: key.algorithm, keyID: key.keyId)
        } catch { throw .damaged(what: what) }
    }
}
