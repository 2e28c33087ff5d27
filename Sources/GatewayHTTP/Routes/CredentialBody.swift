internal import GatewayModel
internal import Identity

/// The body that makes a credential (`http-api.md` section 2), of the kinds of this version.
struct CredentialBody {
    private let body: BodyObject

    init(_ body: BodyObject) { self.body = body }

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
        let kind = checks.word(body["kind"], as: CredentialKind.self, isRequired: true)
        let name = checks.line(body["name"], atMost: 256, isRequired: true)
        let expiresAt = checks.moment(body["expiresAt"])
        if let expiresAt, expiresAt <= now { checks.fail("/expiresAt", "must lie in the future") }
        let scopes = kind == .serviceAccount ? scopes(&checks) : []
        let algorithm = kind == .sdkKey ? checks.word(body["algorithm"], as: HMACAlgorithm.self) : nil
        let app = kind == .sdkKey ? checks.identifier(body["app"], as: AppID.self) : nil
        let secret = kind == .sdkKey ? checks.text(body["secret"]) : nil
        if let secret, !Self.secretBytes.contains(secret.utf8.count) {
            checks.fail("/secret", "must be \(Self.secretBytes.lowerBound) to \(Self.secretBytes.upperBound) bytes")
        }
        let (checkedKind, checkedName) = try checks.finish(kind, name)
        return Checked(
            kind: checkedKind,
            name: checkedName,
            expiresAt: expiresAt,
            scopes: scopes,
            algorithm: algorithm ?? .hs256,
            secret: secret,
            app: app
        )
    }

    private func scopes(_ checks: inout FieldChecks) -> [Scope] {
        let items = checks.items(body["scopes"], atMost: 64, isRequired: true)
        if items?.isEmpty ?? false { checks.fail("/scopes", "must not be empty") }
        var wanted: [Scope] = []
        for item in items ?? [] {
            guard let scope = checks.word(item, as: Scope.self, isRequired: true) else { continue }
            if !wanted.contains(scope) { wanted.append(scope) }
        }
        return wanted
    }
}
