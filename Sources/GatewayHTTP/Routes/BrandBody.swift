internal import GatewayModel
internal import Identity

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
        let id = checks.identifier(.init(pointer: "/id", value: .string(id)), as: BrandID.self)
        let name = checks.line(.init(pointer: "/name", value: .string(name)), atMost: Self.maxNameBytes)
        try checks.finish()
        guard let id, let name else { throw Problem(invalid: "/id", "is required") }
        return Brand(id: id, name: name, settings: settings ?? BrandSettings(), createdAt: createdAt)
    }
}
