package import GatewayModel
package import GatewayStorage
import TextFormats

/// The helpdesk of a hook, to which consumers' messages go back one by one: an account of Chatwoot.
///
/// The request and its responses are those of Chatwoot's API reference ("Create New Message") and of its repository
/// (`app/controllers/api/v1/accounts/conversations/messages_controller.rb`, `app/builders/messages/message_builder.rb`):
/// a contact's message is `incoming`, which only inboxes of the type API accept; a wrong token is 401, an unknown
/// conversation 404, a message that cannot be stored 422.
package struct ReplyTarget: OutboundTarget {
    /// Deeper than any message's `data`.
    private static let maxDepth = 256
    /// The statuses of 400 to 499 that another token, or time, can change.
    private static let passing: Set<Int> = [401, 403, 407, 408, 425, 429]

    /// The brand.
    package let brand: BrandID
    /// Consumers' messages.
    package let types: Set<OutboundType>? = [.consumerMessage]
    /// One: each message is a request.
    package let maxItems = 1
    private let hook: HookID
    private let reply: HookSettings.Reply

    /// Creates a target.
    package init(brand: BrandID, hook: HookID, _ reply: HookSettings.Reply) {
        self.brand = brand
        self.hook = hook
        self.reply = reply
    }

    /// Returns whether the message is in a conversation of the helpdesk.
    package func takes(_ item: OutboundItem) -> Bool { message(item) != nil }

    /// Returns the request for a message, with its position as `echo_id`.
    package func request(for items: [OutboundItem], hasGap _: Bool, at _: Timestamp) -> OutboundRequest {
        let item = items[0]
        let message = message(item)
        var writer = JSONWriter(capacity: 128 + (message?.text.utf8.count ?? 0))
        writer.literal(#"{"content":"#)
        writer.string(message?.text ?? "")
        writer.literal(#","message_type":"incoming","private":false,"echo_id":"#)
        writer.string(String(item.position))
        writer.literal("}")
        return OutboundRequest(
            url: reply.messages(conversation: message?.conversation ?? 0),
            headers: [("api_access_token", reply.token)],
            body: writer.bytes
        )
    }

    /// Returns whether the account and the token are the same.
    package func hasSettings(of other: any OutboundTarget) -> Bool { (other as? ReplyTarget)?.reply == reply }

    /// Returns true for a status of 400 to 499 that the same request would get again.
    package func isFinal(status: Int) -> Bool { (400...499).contains(status) && !Self.passing.contains(status) }

    /// Returns the text of a message and the number of its conversation in the helpdesk; nil for another conversation,
    /// or for a consumer who was erased.
    private func message(_ item: OutboundItem) -> (conversation: Int64, text: String)? {
        guard let data = try? StrictJSON.parse(Array(item.data.text.utf8), maxDepth: Self.maxDepth),
            let number = data.value(at: "/conversation")?.text.flatMap({ hook.number(of: $0) }),
            let text = data.value(at: "/text")?.text
        else { return nil }
        return (number, text)
    }
}
