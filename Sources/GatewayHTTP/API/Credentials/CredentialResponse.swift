internal import GatewayModel
internal import Identity

/// A credential in a response: the members that the BrandsAndApps page lists for its kind; the secret only in the
/// response that creates it.
struct CredentialResponse: Encodable {
    var summary: CredentialSummary
    var secret: String?

    private enum CodingKeys: String, CodingKey {
        case id, name, secret, expiresAt, createdAt
    }

    func encode(to encoder: any Encoder) throws {
        try summary.details.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(summary.id, forKey: .id)
        try members.encode(summary.name, forKey: .name)
        try members.encodeIfPresent(secret, forKey: .secret)
        // Present and null when it does not expire.
        try members.encode(summary.expiresAt?.rfc3339, forKey: .expiresAt)
        try members.encode(summary.createdAt.rfc3339, forKey: .createdAt)
    }
}
