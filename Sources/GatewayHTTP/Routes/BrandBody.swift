internal import GatewayModel

/// The body that makes a brand (`http-api.md` section 2).
struct BrandBody: Decodable {
    var id: String
    var name: String
    var settings: BrandSettings?

    /// The longest name.
    static let maxNameBytes = 256

    /// Checks everything; throws 422.
    func brand(createdAt: Timestamp) throws(Problem) -> Brand {
        var checks = FieldChecks()
        let id = checks.identifier(id, "/id", as: BrandID.self)
        let name = checks.line(name, "/name", atMost: Self.maxNameBytes)
        try checks.finish()
        guard let id, let name else { throw Problem(invalid: "/id", "is required") }
        return Brand(id: id, name: name, settings: settings ?? BrandSettings(), createdAt: createdAt)
    }
}
