/// A brand's own texts for its notifications (TextsQuietHoursSummaries page), by kind of notification and by locale.
///
/// Its JSON is `{"agent":{"de":{"title":"…","body":"…"},"default":{…}},"summary":{…}}`. The texts are Mustache
/// templates; `PushPayloads` parses them and defines what they may contain.
package struct TemplateSettings: Codable, Equatable, Sendable {
    /// The kind of a notification.
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

    /// The texts of one kind in one locale; an absent one is looked up in the next locale.
    package struct Words: Codable, Equatable, Sendable {
        /// The template of the title.
        package var title: String?
        /// The template of the text.
        package var body: String?

        /// Creates texts.
        package init(title: String? = nil, body: String? = nil) {
            self.title = title
            self.body = body
        }
    }

    /// The name that stands for every locale without texts of its own.
    package static let anyLocale = "default"

    /// The texts by kind, and by language tag (BCP 47) or ``anyLocale``.
    package var kinds: [Kind: [String: Words]]

    /// Creates settings.
    package init(kinds: [Kind: [String: Words]]) { self.kinds = kinds }

    /// Decodes texts; throws `DecodingError` for an unknown kind or a wrong type.
    package init(from decoder: any Decoder) throws {
        kinds = try decoder.singleValueContainer().decode([Kind: [String: Words]].self)
    }

    /// Encodes the texts.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(kinds)
    }
}

extension TemplateSettings.Kind {
    /// Creates the kind of the notification for a message.
    package init(_ kind: MessageKind) {
        switch kind {
        case .agent, .consumer: self = .agent
        case .proactive: self = .proactive
        case .c2m: self = .c2m
        }
    }
}
