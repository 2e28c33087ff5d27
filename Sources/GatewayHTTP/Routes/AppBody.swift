internal import GatewayModel

/// The body of an app: its settings, without what this version cannot do, so that nobody takes it for done.
struct AppBody: Decodable {
    let settings: AppSettings

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case huawei, webPush, pushProxy
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        for key in CodingKeys.allCases where try container.contains(key) && !container.decodeNil(forKey: key) {
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: Self.unsupported)
        }
        settings = try AppSettings(from: decoder)
    }

    private static let unsupported = "must be absent: this version does not support it"
}
