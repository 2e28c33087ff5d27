internal import GatewayModel

/// A brand as operators see it.
struct BrandAnswer: Encodable {
    var id: String
    var name: String
    var settings: BrandSettings
    var createdAt: String

    init(_ brand: Brand) {
        id = brand.id.rawValue
        name = brand.name
        settings = brand.settings
        createdAt = brand.createdAt.rfc3339
    }
}

/// A page of things that encode themselves.
struct PageAnswer<Item: Encodable>: Encodable {
    var items: [Item]
    var nextCursor: String?

    private enum CodingKeys: String, CodingKey {
        case items, nextCursor
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(items, forKey: .items)
        // Present and null on the last page.
        try container.encode(nextCursor, forKey: .nextCursor)
    }
}
