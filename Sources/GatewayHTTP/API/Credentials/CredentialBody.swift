internal import GatewayModel
internal import GuardedHTTP
internal import Identity
internal import TextFormats

/// The body that creates a credential (BrandsAndApps page).
///
/// Every kind has its own members only: a member of another kind is rejected, because its author believes that it has
/// an effect.
struct CredentialBody {
    let name: String
    let expiresAt: Timestamp?
    let request: CredentialRequest

    /// The maximum length of the names of issuers, clients and keys.
    private static let maxTextBytes = 512
    /// The maximum number of redirect URIs, more than any app has.
    private static let maxRedirectURIs = 32

    /// Validates everything.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - now: The current time.
    ///   - addresses: The policy for addresses in URLs.
    /// - Throws: `Problem` 422 with all errors.
    init(_ body: BodyObject, at now: Timestamp, addresses: AddressPolicy) throws(Problem) {
        var reader = Reader(body: body, addresses: addresses)
        let kind = reader.checks.word(reader.member("kind"), as: CredentialKind.self, isRequired: true)
        let name = reader.checks.line(reader.member("name"), atMost: 256, isRequired: true)
        expiresAt = reader.checks.moment(reader.member("expiresAt"))
        if let expiresAt, expiresAt <= now { reader.checks.fail("/expiresAt", "must be in the future") }
        let request = kind.flatMap { Self.request($0, &reader) }
        if let kind {
            for member in body.names(besides: reader.known, atMost: Problem.maxErrors + 1) {
                reader.checks.fail(body[member].pointer, "is not a member of the kind \(kind.rawValue)")
            }
        }
        (self.name, self.request) = try reader.checks.finish(name, request)
    }

    private struct Reader {
        let body: BodyObject
        let addresses: AddressPolicy
        var checks = FieldChecks()
        var known: Set<BoundedName> = []

        mutating func member(_ name: BoundedName) -> BodyMember {
            known.insert(name)
            return body[name]
        }

        /// Reads a short text.
        mutating func line(_ name: BoundedName, isRequired: Bool = false) -> String? {
            checks.line(member(name), atMost: maxTextBytes, isRequired: isRequired)
        }

        /// Reads a text with its own rule; `isRequired` when it must be present.
        mutating func text(_ name: BoundedName, isRequired: Bool = false, _ problem: (String) -> String?) -> String? {
            let member = member(name)
            guard let text = checks.text(member, isRequired: isRequired) else { return nil }
            guard let detail = problem(text) else { return text }
            checks.fail(member.pointer, detail)
            return nil
        }

        /// Reads a URL that the gateway will call; rejected here when the HTTP client would reject it.
        mutating func address(_ name: BoundedName, isRequired: Bool = false) -> String? {
            let addresses = addresses
            return text(name, isRequired: isRequired) { text in
                do throws(GuardedURL.Rejection) {
                    _ = try GuardedURL(text, policy: addresses)
                    return nil
                } catch { return error.text }
            }
        }
    }

    /// Nil when a member is invalid, which is recorded as an error.
    private static func request(_ kind: CredentialKind, _ reader: inout Reader) -> CredentialRequest? {
        switch kind {
        case .serviceAccount: return scopes(&reader).map { .serviceAccount(scopes: $0) }
        case .apiKey: return .apiKey
        case .sdkKey:
            let algorithm = reader.checks.word(reader.member("algorithm"), as: HMACAlgorithm.self)
            let app = reader.checks.identifier(reader.member("app"), as: AppID.self)
            let secret = reader.text("secret", CredentialRules.problem(ofSecret:))
            return .sdkKey(algorithm: algorithm ?? .hs256, secret: secret, app: app, limits: limits(&reader))
        case .jwtIssuer: return issuer(&reader).map { .jwtIssuer($0) }
        case .jweKey:
            let algorithm = reader.checks.word(
                reader.member("algorithm"),
                as: KeyEncryptionAlgorithm.self,
                isRequired: true
            )
            let privateKey = reader.text("privateKey") { pem in
                algorithm.flatMap { CredentialRules.problem(ofPrivateKey: pem, .encryption($0)) }
            }
            return algorithm.map { .jweKey(algorithm: $0, privateKey: privateKey) }
        case .identityProvider: return provider(&reader)
        case .customerTokenKey:
            return .customerTokenKey(secret: reader.text("secret", CredentialRules.problem(ofSecret:)))
        case .tokenBroker: return broker(&reader)
        }
    }

    private static func scopes(_ reader: inout Reader) -> [Scope]? {
        let member = reader.member("scopes")
        guard let items = reader.checks.items(member, atMost: 64, isRequired: true) else { return nil }
        if items.isEmpty { reader.checks.fail(member.pointer, "must have at least one") }
        var scopes: [Scope] = []
        for item in items {
            guard let scope = reader.checks.word(item, as: Scope.self, isRequired: true) else { continue }
            if !scopes.contains(scope) { scopes.append(scope) }
        }
        return scopes
    }

    private static func issuer(_ reader: inout Reader) -> JWTIssuerDetails? {
        let issuer = reader.line("issuer", isRequired: true)
        let displayName = reader.line("issuerDisplayName")
        let audience = reader.line("audience")
        let key = verificationKey(&reader)
        let limits = limits(&reader)
        let isBackend = reader.checks.flag(reader.member("backend")) ?? false
        // No app chooses a back-end's issuer, and a back-end uses its token many times.
        if isBackend, displayName != nil { reader.checks.fail("/issuerDisplayName", "must be absent beside backend") }
        if isBackend, limits.singleUse { reader.checks.fail("/singleUse", "must be false beside backend") }
        guard let issuer, let key else { return nil }
        return JWTIssuerDetails(
            issuer: issuer,
            issuerDisplayName: displayName,
            audience: audience,
            key: key,
            limits: limits,
            backend: isBackend
        )
    }

    /// Reads the limits of assertions; every new credential that verifies assertions limits their lifetime.
    private static func limits(_ reader: inout Reader) -> AssertionLimits {
        let lifetime = reader.checks.integer(
            reader.member("maxLifetimeSeconds"),
            in: AssertionLimits.lifetimeSeconds
        )
        return AssertionLimits(
            maxLifetimeSeconds: lifetime ?? AssertionLimits.defaultLifetimeSeconds,
            singleUse: reader.checks.flag(reader.member("singleUse")) ?? false
        )
    }

    private static func verificationKey(_ reader: inout Reader) -> VerificationKey? {
        let algorithm = reader.checks.word(reader.member("algorithm"), as: SignatureAlgorithm.self, isRequired: true)
        let keyId = reader.line("keyId")
        let pem = reader.text("publicKey") { pem in
            algorithm.flatMap { CredentialRules.problem(ofPublicKey: pem, $0) }
        }
        let url = reader.address("jwksUrl")
        let (key, jwks) = (reader.body["publicKey"], reader.body["jwksUrl"])
        if key.isEmpty == jwks.isEmpty {
            let detail = key.isEmpty ? "or jwksUrl is required" : "must be absent beside jwksUrl"
            reader.checks.fail(key.pointer, detail)
            return nil
        }
        guard let algorithm else { return nil }
        if let pem {
            // Its fingerprint and canonical form are computed when it is stored.
            let given = PublicKeyDetails(publicKey: pem, publicKeyFingerprint: "")
            return VerificationKey(algorithm: algorithm, keyId: keyId, source: .key(given))
        }
        return url.map { VerificationKey(algorithm: algorithm, keyId: keyId, source: .jwks(url: $0)) }
    }

    private static func provider(_ reader: inout Reader) -> CredentialRequest? {
        let issuer = reader.line("issuer", isRequired: true)
        let displayName = reader.line("issuerDisplayName")
        let endpoint = reader.address("tokenEndpoint", isRequired: true)
        let clientId = reader.line("clientId", isRequired: true)
        let clientSecret = reader.line("clientSecret", isRequired: true)
        let clientAuth = reader.checks.word(
            reader.member("clientAuth"),
            as: IdentityProviderDetails.ClientAuthentication.self,
            isRequired: true
        )
        let uris = redirectURIs(&reader)
        let pkce = reader.checks.word(reader.member("pkce"), as: IdentityProviderDetails.PKCE.self, isRequired: true)
        let key = verificationKey(&reader)
        let limits = limits(&reader)
        guard let issuer, let endpoint, let clientId, let clientSecret, let clientAuth, let uris, let pkce, let key
        else { return nil }
        let details = IdentityProviderDetails(
            issuer: issuer,
            issuerDisplayName: displayName,
            tokenEndpoint: endpoint,
            clientId: clientId,
            clientAuth: clientAuth,
            redirectUris: uris,
            pkce: pkce,
            key: key,
            limits: limits
        )
        return .identityProvider(details, clientSecret: clientSecret)
    }

    private static func redirectURIs(_ reader: inout Reader) -> [String]? {
        let member = reader.member("redirectUris")
        guard let items = reader.checks.items(member, atMost: maxRedirectURIs, isRequired: true) else { return nil }
        if items.isEmpty { reader.checks.fail(member.pointer, "must have at least one") }
        return items.compactMap { item in
            guard let uri = reader.checks.text(item, isRequired: true) else { return nil }
            if let detail = AddressRules.problem(ofRedirectURI: uri) { reader.checks.fail(item.pointer, detail) }
            return uri
        }
    }

    private static func broker(_ reader: inout Reader) -> CredentialRequest? {
        let app = reader.checks.identifier(reader.member("app"), as: AppID.self, isRequired: true)
        let tokenUrl = reader.address("tokenUrl", isRequired: true)
        let clientId = reader.line("clientId", isRequired: true)
        let keyId = reader.line("keyId", isRequired: true)
        let scope = reader.line("scope", isRequired: true)
        let privateKey = reader.text("privateKey", isRequired: true) {
            CredentialRules.problem(ofPrivateKey: $0, .signature(.es256))
        }
        let decider = decider(&reader)
        guard let app, let tokenUrl, let clientId, let keyId, let scope, let privateKey else { return nil }
        return .tokenBroker(
            app: app,
            tokenUrl: tokenUrl,
            clientId: clientId,
            keyId: keyId,
            scope: scope,
            privateKey: privateKey,
            decider: decider
        )
    }

    /// Reads `decision`, a service of the brand (R203).
    private static func decider(_ reader: inout Reader) -> AccessDecider? {
        let member = reader.member("decision")
        guard !member.isEmpty, let object = reader.checks.object(member) else { return nil }
        reader.checks.rejectOthers(in: object, than: ["url", "secret"])
        let url = reader.checks.text(object["url"], isRequired: true)
        if let url {
            do { _ = try GuardedURL(url, policy: reader.addresses) } catch {
                reader.checks.fail(object["url"].pointer, error.text)
            }
        }
        let text = reader.checks.text(object["secret"], isRequired: true)
        let secret = text.flatMap { WebhookSecret($0) }
        if text != nil, secret == nil { reader.checks.fail(object["secret"].pointer, WebhookBody.secretDetail) }
        guard let url, let secret else { return nil }
        return AccessDecider(url: url, secret: secret)
    }
}
