/// The kind of a message: who started it, and whether it counts as unread.
package enum MessageKind: String, Sendable, CaseIterable {
    /// An agent's message in a conversation: counted as unread unless silent.
    case agent
    /// A message that the brand starts (`prmsg`): never counted.
    case proactive
    /// Connect to messaging (`c2m`): never counted.
    case c2m
    /// A message of the consumer to the agent: never counted, never pushed.
    case consumer

    /// The value by which devices recognize the kind: `ams`, `prmsg` or `c2m` (LivePerson, "Proactive and IVR
    /// Deflection").
    package var backendService: String {
        switch self {
        case .agent, .consumer: "ams"
        case .proactive: "prmsg"
        case .c2m: "c2m"
        }
    }
}
