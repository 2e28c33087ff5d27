import GatewayModel
import TextFormats

/// A token of a device within a brand, as a key; compared by bytes, as the database does.
struct BrandedToken: Hashable {
    let brand: Int64
    /// The token: secret.
    let text: String
    private let pushType: PushType
    private let app: AppID?

    init(brand: Int64, _ token: AgentEvent.TokenName) {
        self.brand = brand
        (text, pushType, app) = (token.text, token.pushType, token.app)
    }

    static func == (lhs: BrandedToken, rhs: BrandedToken) -> Bool {
        lhs.brand == rhs.brand && lhs.pushType == rhs.pushType && lhs.app == rhs.app
            && lhs.text.hasSameBytes(as: rhs.text)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(brand)
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
