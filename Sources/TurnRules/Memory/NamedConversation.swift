/// The conversation that an id names, as a consumer may see it.
package enum NamedConversation {
    /// The id names nothing.
    case none
    /// The consumer's own.
    case own(KnownConversation)
    /// Another consumer's.
    case foreign

    /// The conversation, if it is the consumer's own.
    package var own: KnownConversation? {
        if case .own(let conversation) = self { return conversation }
        return nil
    }
}
