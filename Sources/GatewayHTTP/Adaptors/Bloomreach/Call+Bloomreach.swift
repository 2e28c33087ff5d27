internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Identity

extension Call {
    /// Allows the holders of an API key of the project that the path names (R130).
    ///
    /// The key is in every app: requests are counted by their address (R167).
    ///
    /// - Returns: The brand.
    /// - Throws: `Problem` 401, 429, and 400 when there is no such project.
    func requireAPIKey() throws(Problem) -> Brand { try requireAPIKey(of: try segment("brand")) }

    /// Allows the holders of an API key of a project.
    func requireAPIKey(of project: String?) throws(Problem) -> Brand {
        try limitAddress()
        guard let header = request.headers.value(.authorization), case .token(let key)? = AuthorizationHeader(header)
        else { throw Problem(AuthenticationError.unauthorized) }
        let holder: ServiceAccountIdentity
        do { holder = try services.accounts.authenticate(apiKey: key) } catch { throw Problem(error) }
        return try admit(holder, to: project)
    }

    /// Returns the project of a caller.
    private func admit(_ caller: ServiceAccountIdentity, to project: String?) throws(Problem) -> Brand {
        guard let id = project.flatMap({ BrandID($0) }), let brand = services.directory.brand(id),
            brand.settings.wire.bloomreach
        else { throw .unreadable("There is no such project.") }
        guard caller.brand == id else { throw Problem(AuthenticationError.unauthorized) }
        context.notes.caller = .account(caller)
        try count(for: id)
        return brand
    }

    /// Allows the holders of an API key, and customers with a customer token, whose signature is verified before the
    /// body is read (R140, R143).
    ///
    /// - Returns: The brand, and the ids of the token; nil for an API key.
    /// - Throws: `Problem` as ``requireAPIKey()``, and 401 for an API key where the project requires customer tokens.
    func requireInbox() throws(Problem) -> (brand: Brand, token: CustomerIDs?) {
        guard let header = request.headers.value(.authorization), case .bearer(let text)? = AuthorizationHeader(header)
        else {
            let brand = try requireAPIKey()
            guard !brand.settings.customerTokensRequired else { throw Problem(AuthenticationError.unauthorized) }
            return (brand, nil)
        }
        try limitAddress()
        let project = try segment("brand")
        // An unknown project has no keys.
        guard let id = BrandID(project) else { throw Problem(AuthenticationError.tokenInvalid(.unknownKey)) }
        let token: VerifiedCustomerToken
        do { token = try services.customerTokens.verify(text, brand: id) } catch { throw Problem(error) }
        return (try admit(token.caller, to: project), token.ids)
    }

    /// Returns the customer of a request for an inbox.
    ///
    /// - Parameters:
    ///   - ids: The ids of the body.
    ///   - token: The ids of the token, which determine the customer.
    ///   - brand: The brand.
    /// - Returns: The customer; nil when the project has never seen it.
    /// - Throws: `Problem` 403 when the body contradicts the token (R141), 401 when the token's ids are no longer the
    ///   customer's (R145).
    func customer(
        _ ids: CustomerIDs,
        _ token: CustomerIDs?,
        of brand: Brand
    ) async throws(Problem) -> Customer? {
        guard let token else { return try await customer(ids.main, of: brand) }
        let isContradicted =
            (ids.registered != nil && ids.registered != token.registered)
            || (ids.cookie != nil && token.cookie != nil && ids.cookie != token.cookie)
        guard !isContradicted else { throw .otherCustomer }
        let found = try await customer(token.main, of: brand)
        guard found == nil || found?.id == token.main else { throw .changedIDs }
        if token.registered != nil, let cookie = token.cookie,
            let other = try await customer(cookie, of: brand), other.key != found?.key, !other.isAnonymous
        {
            throw .changedIDs
        }
        // After the app has forgotten its user, it names a new cookie only.
        if ids.registered == nil, token.cookie == nil, let cookie = ids.cookie {
            let other = try await customer(cookie, of: brand)
            guard let other, other.key == found?.key else { throw .otherCustomer }
        }
        return found
    }

    private func customer(_ id: ConsumerID?, of brand: Brand) async throws(Problem) -> Customer? {
        guard let id else { return nil }
        return try await read { store throws(StorageError) in try await store.customer(brand: brand.id, id: id) }
    }

    /// Submits a change of a customer; returns the consumer's present id.
    func track(_ change: CustomerChange) async throws(Problem) -> ConsumerID? {
        switch try await perform(.track(change)) {
        case .tracked(let consumer): return consumer
        case .conflict:
            throw Problem(
                .payloadTooLarge,
                "A customer has at most \(CustomerData.maxMembers) properties and \(CustomerData.maxBytes) bytes of them."
            )
        default: throw .notFound("customer")
        }
    }
}

extension Problem {
    /// The error for a body that names another customer than its token.
    fileprivate static let otherCustomer = Problem(.forbidden, "The token belongs to another customer.")
    /// The error for a token of ids that the customer no longer has.
    fileprivate static let changedIDs = Problem(AuthenticationError.tokenInvalid(.revoked))
}
