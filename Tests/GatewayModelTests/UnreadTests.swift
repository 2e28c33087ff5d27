import GatewayModel
import Testing

@Suite("Messages that count as unread")
struct UnreadTests {
    @Test("only an agent's message counts, and not a silent one", arguments: MessageKind.allCases)
    func counts(_ kind: MessageKind) {
        var ids = MessageIDGenerator()
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        var event = AgentEvent(id: EventID(trusted: "e-1"), type: .agentMessage, consumer: ConsumerID(trusted: "u-1"))
        event.kind = kind
        for silent in [false, true] {
            event.silent = silent
            let message = Message(
                PostedEvent(event, ids.next(at: now)),
                brand: BrandID(trusted: "acme"),
                conversation: ConversationID(trusted: "c-1"),
                sequence: 1,
                acceptedAt: now,
                expiresAt: now
            )
            #expect(message.countsAsUnread == (kind == .agent && !silent))
        }
    }
}
