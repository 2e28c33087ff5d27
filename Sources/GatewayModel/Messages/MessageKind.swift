/// Who started a message and how it counts.
package enum MessageKind: String, Sendable, CaseIterable {
    /// An agent's message in a conversation: counted as unread unless silent.
    case agent
    /// The brand's own contact (`prmsg`): never counted.
    case proactive
    /// Connect to messaging (`c2m`): never counted.
    case c2m
    /// The consumer's own, to the agent: never counted, never pushed.
    case consumer

    /// The mark that devices know a message by: `ams`, `prmsg` or `c2m` (LivePerson, "Proactive and IVR Deflection").
    package var backendService: String {
        switch self {
        case .agent, .consumer: "ams"
        case .proactive: "prmsg"
        case .c2m: "c2m"
        }
    }
}
