internal import Cryptography
internal import TextFormats

/// The result of a helpdesk's webhook (Helpdesks page).
enum HookTranslation: Equatable {
    /// The JSON of an event, as a back-end would post it, and the mapping's pointers that found nothing.
    case event(StrictJSON.Members, missing: [FieldProblem])
    /// It is nothing for a consumer.
    case ignored(HookIgnored)

    /// Returns the id of an event whose sender gave none: that of the body, so that the same body is the same event.
    static func id(ofBody body: [UInt8]) -> String { "sha256-" + Hexadecimal.text(SHA256.hash(data: body)) }
}

/// The reason why a helpdesk's webhook becomes no event; the raw value is the JSON value.
enum HookIgnored: String {
    /// The event's type is not one that the gateway uses.
    case eventNotUsed = "event_not_used"
    /// The consumer wrote the message.
    case notOutgoing = "not_outgoing"
    /// A note among agents.
    case privateNote = "private_note"
    /// The message has neither text nor attachment.
    case noText = "no_text"
    /// The contact has no identifier.
    case noIdentity = "no_identity"
    /// The conversation got another status.
    case notResolved = "not_resolved"
    /// Somebody else than an agent types.
    case notAgent = "not_agent"
    /// The mapping's filter does not match.
    case filter

    /// The reason as a sentence.
    var detail: String {
        switch self {
        case .eventNotUsed: "The gateway does not use this type of webhook."
        case .notOutgoing: "The message is not from an agent."
        case .privateNote: "A private note is never sent to the consumer."
        case .noText: "The message has neither text nor attachment."
        case .noIdentity: "The contact has no identifier, so that no consumer is known: set it with the user's id."
        case .notResolved: "The conversation was not resolved."
        case .notAgent: "It is not an agent who types."
        case .filter: "The filter of the mapping does not match."
        }
    }
}
