internal import GatewayModel
internal import Identity

/// The body that makes a credential (`http-api.md` section 2), of the kinds of this version.
struct CredentialBody: Decodable {
    var kind: String
    var name: String
    var expiresAt: String?
    var scopes: [String]?
    var algorithm: String?
    var secret: String?
    var app: String?

    /// A credential as it is wanted, checked.
    struct Checked {
        var kind: CredentialKind
        var name: String
        var expiresAt: Timestamp?
        var scopes: [Scope]
        var algorithm: HMACAlgorithm
        var secret: String?
        var app: AppID?
    }

    /// An HMAC key shorter than its hash would be the weakest part (RFC 7518 section 3.2).
    private static let secretBytes = 32...1024

    /// Checks everything; throws 422.
    func checked(at now: Timestamp) throws(Problem) -> Checked {
        var checks = FieldChecks()
        let kind = checks.word(kind, "/kind", as: CredentialKind.self)
        let name = checks.line(name, "/name", atMost: 256)
        let expiresAt = checks.moment(expiresAt, "/expiresAt")
        if let expiresAt, expiresAt <= now { checks.fail("/expiresAt", "must lie in the future") }
        let scopes = kind == .serviceAccount ? scopes(&checks) : []
        let algorithm = kind == .sdkKey ? checks.word(algorithm, "/algorithm", as: HMACAlgorithm.self) : nil
        let app = kind == .sdkKey ? checks.identifier(app, "/app", as: AppID.self) : nil
        let secret = kind == .sdkKey ? secret : nil
        if let secret, !Self.secretBytes.contains(secret.utf8.count) {
            checks.fail("/secret", "must be \(Self.secretBytes.lowerBound) to \(Self.secretBytes.upperBound) bytes")
        }
        try checks.finish()
        guard let kind, let name else { throw Problem(invalid: "/kind", "is required") }
        return Checked(
            kind: kind,
            name: name,
            expiresAt: expiresAt,
            scopes: scopes,
            algorithm: algorithm ?? .hs256,
            secret: secret,
            app: app
        )
    }

    private func scopes(_ checks: inout FieldChecks) -> [Scope] {
        guard let scopes, !scopes.isEmpty else {
            checks.fail("/scopes", "is required")
            return []
        }
        var wanted: [Scope] = []
        for (index, text) in scopes.enumerated() {
            guard let scope = checks.word(text, "/scopes/\(index)", as: Scope.self) else { continue }
            if !wanted.contains(scope) { wanted.append(scope) }
        }
        return wanted
    }
}
