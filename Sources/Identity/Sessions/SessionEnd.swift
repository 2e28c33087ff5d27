package import GatewayModel
package import GatewayStorage

/// Sessions that may have ended, as those hear of it who hold something for a session.
package enum SessionEnd: Sendable, Equatable {
    /// Some of a consumer's: a logout, or a newer login where one device is allowed.
    case consumer(ConsumerName)
    /// That of a token, by its hash.
    case token([UInt8])
    /// Some of a brand's, nobody says whose: the store did not say what it did.
    case everybody(BrandID)
    /// All of a brand that is gone.
    case brand(BrandID)
    /// All that a credential opened, which is revoked.
    case credential(String)
}
