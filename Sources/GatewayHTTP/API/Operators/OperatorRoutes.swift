internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Accounts of operators (OperatorAccounts page); passwords are never returned.
enum OperatorRoutes {
    /// The maximum number of roles of an account.
    private static let maxRoles = 64

    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/operators") { try await create($0) }
        routes.on(.get, "/v1/operators") { try await list($0) }
        routes.on(.get, "/v1/operators/:operator") { try await get($0) }
        routes.on(.patch, "/v1/operators/:operator") { try await update($0) }
        routes.on(.delete, "/v1/operators/:operator") { try await delete($0) }
    }

    private static func name(_ call: Call) async throws -> OperatorName {
        try await call.requireAdmin()
        return try call.identifier("operator", as: OperatorName.self)
    }

    private static func create(_ call: Call) async throws -> Response {
        try await call.requireAdmin()
        // No key makes a repetition safe, because a hash of the body would be stored, and with it one of the password. A
        // repetition is a conflict.
        let body = try await call.object()
        var checks = FieldChecks()
        let name = checks.identifier(body["name"], as: OperatorName.self, isRequired: true)
        let password = checks.newPassword(body["password"], isRequired: true)
        let grants = grants(body["roles"], isRequired: true, &checks, call)
        checks.rejectOthers(in: body, than: ["name", "password", "roles"])
        if let name, name.isOfProvider { checks.fail("/name", "is one that the identity provider gives") }
        let (valid, secret, roles) = try checks.finish(name, password, grants)
        let audit = try call.auditEntry(.operatorCreated, brand: nil, target: valid.rawValue)
        let account: StoredOperator
        do {
            account = try await call.services.operators.create(
                valid,
                password: secret,
                grants: roles,
                address: call.addressName,
                audit: audit
            )
        } catch { throw Problem(error) }
        var response = ResponseFactory.json(.created, capacity: 256) { $0.operatorAccount(account) }
        response.headers[.location] = "/v1/operators/\(account.name)"
        return response
    }

    private static func list(_ call: Call) async throws -> Response {
        try await call.requireAdmin()
        let page = try call.page()
        let all = try await call.read { store throws(StorageError) in try await store.operators() }
        let (items, next) = page.page(of: all) { $0.name.rawValue }
        return ResponseFactory.page(items, next: next) { $0.operatorAccount($1) }
    }

    private static func get(_ call: Call) async throws -> Response {
        let name = try await name(call)
        let account = try await call.read { store throws(StorageError) in try await store.findOperator(name) }
        guard let account else { throw Problem.notFound("operator") }
        return ResponseFactory.json(.ok, capacity: 256) { $0.operatorAccount(account) }
    }

    private static func update(_ call: Call) async throws -> Response {
        let name = try await name(call)
        let body = try await call.object()
        var checks = FieldChecks()
        let password = checks.newPassword(body["password"])
        let grants = grants(body["roles"], &checks, call)
        checks.rejectOthers(in: body, than: ["password", "roles"])
        if name.isOfProvider { checks.fail("", "cannot be changed: the identity provider gives the roles") }
        try checks.finish()
        let changes = [password.map { _ in "password" }, grants.map { _ in "roles" }].compactMap(\.self)
        let audit = try call.auditEntry(.operatorChanged, brand: nil, target: name.rawValue, changes: changes)
        let account: StoredOperator
        do {
            account = try await call.services.operators.update(
                name,
                password: password,
                grants: grants,
                address: call.addressName,
                audit: audit
            )
        } catch { throw Problem(error) }
        return ResponseFactory.json(.ok, capacity: 256) { $0.operatorAccount(account) }
    }

    private static func delete(_ call: Call) async throws -> Response {
        let name = try await name(call)
        let audit = try call.auditEntry(.operatorDeleted, brand: nil, target: name.rawValue)
        let isFound = try await call.read { store throws(StorageError) in
            try await store.deleteOperator(name, audit: audit)
        }
        guard isFound else { throw Problem.notFound("operator") }
        return ResponseFactory.noContent
    }

    /// Reads roles, each of an existing brand or of the instance, at most one of each.
    private static func grants(
        _ member: BodyMember,
        isRequired: Bool = false,
        _ checks: inout FieldChecks,
        _ call: Call
    ) -> [OperatorGrant]? {
        guard let items = checks.items(member, atMost: maxRoles, isRequired: isRequired) else { return nil }
        if items.isEmpty { checks.fail(member.pointer, "must have at least one item") }
        var grants: [OperatorGrant] = []
        for item in items {
            guard let object = checks.object(item, isRequired: true) else { continue }
            let role = checks.word(object["role"], as: OperatorRole.self, isRequired: true)
            let brand = checks.identifier(object["brand"], as: BrandID.self)
            checks.rejectOthers(in: object, than: ["role", "brand"])
            if let brand, call.services.directory.brand(brand) == nil {
                checks.fail(object["brand"].pointer, "is not a brand")
            } else if grants.contains(where: { $0.brand == brand }) {
                checks.fail(item.pointer, "is another role in the same place")
            }
            if let role { grants.append(OperatorGrant(role, in: brand)) }
        }
        return grants.inOrder
    }
}

extension FieldChecks {
    /// Reads a password that is to be stored.
    fileprivate mutating func newPassword(_ member: BodyMember, isRequired: Bool = false) -> String? {
        guard let text = text(member, isRequired: isRequired) else { return nil }
        let (least, most) = (OperatorService.minPasswordCharacters, OperatorService.maxPasswordCharacters)
        guard (least...most).contains(text.unicodeScalars.count) else {
            fail(member.pointer, "must have \(least) to \(most) characters")
            return nil
        }
        guard !text.utf8.contains(0) else {
            fail(member.pointer, "must not have the character U+0000")
            return nil
        }
        return text
    }
}

extension JSONWriter {
    /// Appends an account, without its password.
    fileprivate mutating func operatorAccount(_ account: StoredOperator) {
        literal("{")
        member("name", account.name.rawValue)
        operatorRoles(account.grants)
        member("createdAt", account.createdAt)
        member("updatedAt", account.updatedAt)
        literal("}")
    }

    /// Appends the member `roles`.
    mutating func operatorRoles(_ grants: [OperatorGrant]) {
        array("roles", grants) { writer, grant in
            writer.literal("{")
            writer.member("role", grant.role.rawValue)
            writer.member("brand", orNull: grant.brand?.rawValue)
            writer.literal("}")
        }
    }
}

extension Problem {
    /// Converts the reason why an operator was not signed in, or an account not changed.
    init(_ error: OperatorError) {
        switch error {
        case .unauthorized: self.init(.unauthorized, "The name or the password is wrong.")
        case .limited(let seconds):
            self.init(.rateLimited, "Too many wrong passwords: wait before the next try.", retryAfterSeconds: seconds)
        case .busy: self.init(.overloaded, "Too many passwords are being checked.", retryAfterSeconds: 2)
        case .unavailable: self.init(.internal, "OpenSSL does not hash passwords with scrypt.")
        case .duplicate: self.init(.conflict, "The name is already used.")
        case .tooMany: self.init(.conflict, "An instance has at most \(OperatorService.maxAccounts) operators.")
        case .notFound: self = .notFound("operator")
        case .storage(let error): self.init(error)
        }
    }
}
