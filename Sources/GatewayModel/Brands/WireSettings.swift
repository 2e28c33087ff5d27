/// The wire adaptors that are on for a brand (ComingFromCopilot, ComingFromCCAI, ComingFromTalkdesk,
/// ComingFromBloomreach, ComingFromLivePerson and ComingFromGorush pages); they encode and decode as JSON.
package struct WireSettings: Codable, Equatable, Sendable {
    /// Whether Copilot.cx back-ends may mint keys; default false.
    package var copilot = false
    /// Whether CCAI apps may exchange tokens and have payloads signed; default false.
    package var ccai = false
    /// Whether apps may get access tokens of Talkdesk; default false.
    package var talkdesk = false
    /// Whether apps with Bloomreach's SDK may call the brand as their project; default false.
    package var bloomreach = false
    /// Whether LivePerson's platform may post pushes to the brand as their proxy; default false.
    package var liveperson = false
    /// Whether back-ends may push as with gorush; default false.
    package var gorush = false

    /// Creates settings with all adaptors off.
    package init() {}

    private enum CodingKeys: String, CodingKey {
        case copilot, ccai, talkdesk, bloomreach, liveperson, gorush
    }

    /// Decodes settings; an absent member has its default, one of a wrong type is an error.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        copilot = try container.decodeIfPresent(Bool.self, forKey: .copilot) ?? false
        ccai = try container.decodeIfPresent(Bool.self, forKey: .ccai) ?? false
        talkdesk = try container.decodeIfPresent(Bool.self, forKey: .talkdesk) ?? false
        bloomreach = try container.decodeIfPresent(Bool.self, forKey: .bloomreach) ?? false
        liveperson = try container.decodeIfPresent(Bool.self, forKey: .liveperson) ?? false
        gorush = try container.decodeIfPresent(Bool.self, forKey: .gorush) ?? false
    }
}
