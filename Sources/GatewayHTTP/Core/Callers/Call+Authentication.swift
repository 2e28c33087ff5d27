internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import HummingbirdCore
internal import Identity
internal import TextFormats

// Credentials are checked before everything else (R3): the request of a caller without them is not read further.
extension Call {
    /// Authenticates the caller; `brand` is the path's, to which back-ends and sessions must belong.
    ///
    /// `authorization` stands for the request's own; nil for an adaptor's that has none.
    func caller(of brand: BrandID?, authorization: String? = nil) async throws(Problem) -> Caller {
        let caller: Caller
        do {
            caller = try await authenticated(brand, authorization ?? request.headers.value(.authorization))
        } catch {
            // A caller that tries credentials is slowed down; others with the same address are not.
            if error.status == 401 { try limitAddress() }
            throw error
        }
        try admit(caller, in: brand)
        return caller
    }

    /// Counts the request for its authenticated caller; throws 429, and 503 when the brand holds its share.
    ///
    /// `brand` is the path's.
    func admit(_ caller: Caller, in brand: BrandID?) throws(Problem) {
        context.notes.caller = caller
        switch caller {
        case .admin: break
        case .account(let account):
            context.notes.rate = try limiter.take(.account, account.id)
            try count(for: account.brand)
        case .operator(let identity):
            context.notes.rate = try limiter.take(.session, identity.tokenHash)
            let role = identity.grants.role(in: brand)
            context.notes.hidesTexts = !(role?.seesTexts ?? false)
            if let brand, role != nil { try count(for: brand) }
        case .session(let session):
            context.notes.rate = try limiter.take(.session, session.tokenHash)
            try count(for: session.brand)
            services.noteDevice(of: session)
        }
    }

    /// Counts the request's resources for the caller's brand; throws 503 when the brand holds its share.
    func count(for brand: BrandID) throws(Problem) {
        // A single brand has nobody to leave room for; its resources are released before another brand holds as many.
        guard !services.directory.hasOneBrand else { return }
        try slot?.claim(brand)
        arriving.belongs(to: brand)
    }

    private func authenticated(_ brand: BrandID?, _ header: String?) async throws(Problem) -> Caller {
        guard let header else { return .operator(try await signedIn().identity) }
        switch try credential(header, of: brand) {
        case .caller(let caller): return caller
        case .sessionToken(let token):
            // A credential that is not in memory is looked up in the store, which strangers could overload.
            if !services.sessions.isCached(token) { try checkAddress() }
            do {
                return .session(try await services.sessions.authenticate(token: token, brand: brand))
            } catch { throw Problem(error) }
        }
    }

    /// The credential of a request, as far as it is known without waiting.
    private enum Credential {
        case caller(Caller)
        /// May have to be looked up in the store.
        case sessionToken(String)
    }

    private func credential(_ header: String?, of brand: BrandID?) throws(Problem) -> Credential {
        guard let header else { throw Problem(AuthenticationError.unauthorized) }
        switch AuthorizationHeader(header) {
        case .basic(let encoded):
            do {
                return .caller(.account(try services.accounts.authenticate(basic: encoded, brand: brand)))
            } catch { throw Problem(error) }
        case .bearer(let token): return services.admin.matches(token) ? .caller(.admin) : .sessionToken(token)
        // An app's API key identifies nobody.
        case .token, nil:
            throw Problem(AuthenticationError.unauthorized)
        }
    }

    /// Allows only the admin token and administrators of the instance; `brand` is the path's, if it has one.
    func requireAdmin(of brand: BrandID? = nil) async throws(Problem) {
        guard try await caller(of: brand).isInstanceAdmin else { throw .forbidden }
    }

    /// Whether the caller may do whatever the holder of the admin token may; only for routes that have authorized it.
    var isForInstanceAdmin: Bool { context.notes.caller?.isInstanceAdmin ?? false }

    /// Allows the admin token, and back-ends and operators with a scope; throws `Problem` 401, 403, and 404 when there is
    /// no such brand, or the operator has no role in it.
    func requireBackend(_ scope: Scope, authorization: String? = nil) async throws(Problem) -> Brand {
        let id = BrandID(try segment("brand"))
        return try self.brand(id, for: try await caller(of: id, authorization: authorization), scope)
    }

    /// Returns the caller and the brand of a request that ``requireBackend(_:authorization:)`` would allow without waiting; does
    /// not count it.
    ///
    /// - Parameters:
    ///   - scope: The scope.
    ///   - authorization: Stands for the request's own; nil for an adaptor's that has none.
    /// - Returns: Nil for every other request.
    func knownBackend(_ scope: Scope, authorization: String? = nil) -> (caller: Caller, brand: Brand)? {
        guard let id = (try? segment("brand")).flatMap({ BrandID($0) }),
            case .caller(let caller)? = try? credential(authorization ?? request.headers.value(.authorization), of: id),
            let brand = try? self.brand(id, for: caller, scope)
        else { return nil }
        return (caller, brand)
    }

    /// Returns the caller and the brand of a request that ``requireAccount(_:)`` would allow; does not count it.
    ///
    /// - Parameter scope: The scope.
    /// - Returns: Nil for every other request.
    func knownAccount(_ scope: Scope) -> (caller: Caller, brand: Brand)? {
        guard case .caller(let caller)? = try? credential(request.headers.value(.authorization), of: nil),
            case .account(let account) = caller, account.allows(scope),
            let brand = services.directory.brand(account.brand)
        else { return nil }
        return (caller, brand)
    }

    private func brand(_ id: BrandID?, for caller: Caller, _ scope: Scope) throws(Problem) -> Brand {
        switch caller {
        case .admin: break
        case .operator(let identity): try require(scope, of: identity, in: id)
        case .account(let account):
            // An invalid id names no brand, so it is not this account's.
            guard id == account.brand else { throw Problem(AuthenticationError.unauthorized) }
            guard account.allows(scope) else { throw .forbidden }
        case .session: throw .forbidden
        }
        guard let id, let brand = services.directory.brand(id) else { throw .notFound("brand") }
        return brand
    }

    private func require(_ scope: Scope, of identity: OperatorIdentity, in brand: BrandID?) throws(Problem) {
        // As for a brand that does not exist.
        guard let brand, identity.grants.role(in: brand) != nil else { throw .notFound("brand") }
        guard identity.allows(scope, in: brand) else { throw .forbidden }
    }

    /// Allows only service accounts with a scope, where nothing else names the brand (R2-R4); throws `Problem` 401,
    /// also for every scheme but `Basic`, and 403.
    func requireAccount(_ scope: Scope) async throws(Problem) -> (Brand, ServiceAccountIdentity) {
        guard let header = request.headers.value(.authorization), case .basic? = AuthorizationHeader(header) else {
            try limitAddress()
            throw Problem(AuthenticationError.unauthorized)
        }
        guard case .account(let account) = try await caller(of: nil),
            let brand = services.directory.brand(account.brand)
        else { throw Problem(AuthenticationError.unauthorized) }
        guard account.allows(scope) else { throw .forbidden }
        return (brand, account)
    }

    /// Allows only the credential of a token broker of the path's brand (R178); throws `Problem` 401, also for every
    /// scheme but `Basic`.
    func requireTokenBroker() throws(Problem) -> TokenBroker {
        let broker: TokenBroker
        do throws(Problem) {
            guard let header = request.headers.value(.authorization),
                case .basic(let encoded)? = AuthorizationHeader(header),
                let brand = BrandID(try segment("brand"))
            else { throw Problem(AuthenticationError.unauthorized) }
            do { broker = try services.accounts.authenticate(tokenBroker: encoded, brand: brand) } catch {
                throw Problem(error)
            }
        } catch {
            if error.status == 401 { try limitAddress() }
            throw error
        }
        context.notes.caller = .account(broker.caller)
        context.notes.rate = try limiter.take(.account, broker.credentialID)
        try count(for: broker.caller.brand)
        return broker
    }

    /// Allows a consumer's session, and callers that may act for consumers: `?consumer=` then names the consumer.
    ///
    /// - Parameter scope: The scope of other callers; `consumers:read` where nothing is changed.
    /// - Returns: The consumer for whom the call acts.
    /// - Throws: `Problem` 401, 403, 404, and 422 when a back-end names no consumer.
    func requireConsumer(_ scope: Scope = .consumersWrite) async throws(Problem) -> ConsumerAccess {
        let id = BrandID(try segment("brand"))
        switch try await caller(of: id) {
        case .session(let session):
            guard session.brand == id else { throw Problem(AuthenticationError.unauthorized) }
            // A session is bound to its consumer: naming another one is not a matter of authentication (R6).
            if let named = try query().identifier("consumer", as: ConsumerID.self), named != session.consumer {
                throw .forbidden
            }
            return ConsumerAccess(brand: try brand(), consumer: session.consumer, session: session)
        case .account(let account):
            guard account.brand == id else { throw Problem(AuthenticationError.unauthorized) }
            guard account.allows(scope) else { throw .forbidden }
        case .operator(let identity): try require(scope, of: identity, in: id)
        case .admin: break
        }
        let brand = try brand()
        guard let consumer = try query().identifier("consumer", as: ConsumerID.self) else {
            throw Problem(invalid: "/consumer", "is required when the caller is not a consumer")
        }
        return ConsumerAccess(brand: brand, consumer: consumer, session: nil)
    }
}
