/// Which wire adaptors answer for a brand (ComingFromCopilot and ComingFromCCAI pages); encodes and decodes as its JSON.
package struct WireSettings: Codable, Equatable, Sendable {
    /// Whether Copilot.cx back-ends may mint keys; default false.
    package var copilot = false
    /// Whether CCAI apps may exchange tokens and have payloads signed; default false.
    package var ccai = false

    /// All are off.
    package init() {}

    private enum CodingKeys: String, CodingKey {
        case copilot, ccai
    }

    /// Reads settings; a member that is absent takes its default.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError` for a wrong type.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        copilot = try container.decodeIfPresent(Bool.self, forKey: .copilot) ?? false
        ccai = try container.decodeIfPresent(Bool.self, forKey: .ccai) ?? false
    }
}
