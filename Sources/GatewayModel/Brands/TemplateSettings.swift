/// A brand's own words for its notifications (TextsQuietHoursSummaries page), by what is notified of and by locale.
///
/// Its JSON is `{"agent":{"de":{"title":"…","body":"…"},"default":{…}},"summary":{…}}`. The texts are Mustache templates;
/// what may stand in them says `PushPayloads`, which parses them.
package struct TemplateSettings: Codable, Equatable, Sendable {
    /// What a notification tells of.
    package enum Kind: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable {
        /// A message of an agent.
        case agent
        /// A proactive message.
        case proactive
        /// A message of a campaign.
        case c2m
        /// Several messages of agents that waited.
        case summary
    }

    /// The words of one kind in one locale; what is absent is looked for in the next locale.
    package struct Words: Codable, Equatable, Sendable {
        /// The template of the title.
        package var title: String?
        /// The template of the text.
        package var body: String?

        /// Takes templates.
        ///
        /// - Parameters:
        ///   - title: The template of the title.
        ///   - body: The template of the text.
        package init(title: String? = nil, body: String? = nil) {
            self.title = title
            self.body = body
        }
    }

    /// The name that stands for every locale without words of its own.
    package static let anyLocale = "default"

    /// The words by kind, and by language tag (BCP 47) or ``anyLocale``.
    package var kinds: [Kind: [String: Words]]

    /// Takes words.
    ///
    /// - Parameter kinds: The words by kind and locale.
    package init(kinds: [Kind: [String: Words]]) { self.kinds = kinds }

    /// Reads words.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError` for a kind that is unknown or a wrong type.
    package init(from decoder: any Decoder) throws {
        kinds = try decoder.singleValueContainer().decode([Kind: [String: Words]].self)
    }

    /// Writes the words.
    ///
    /// - Parameter encoder: Where to write to.
    /// - Throws: What the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(kinds)
    }
}

extension TemplateSettings.Kind {
    /// What a message is, as a notification tells of it.
    ///
    /// - Parameter kind: The message's kind.
    package init(_ kind: MessageKind) {
        switch kind {
        case .agent, .consumer: self = .agent
        case .proactive: self = .proactive
        case .c2m: self = .c2m
        }
    }
}
