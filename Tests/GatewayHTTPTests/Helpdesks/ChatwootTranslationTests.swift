import GatewayModel
import PushSimulator
import TestSupport
import Testing
import TextFormats

@testable import GatewayHTTP

@Suite("Chatwoot's webhooks become events")
struct ChatwootTranslationTests {
    private static func translate(_ text: String) throws -> HookTranslation {
        let values = try StrictJSON.parse(
            Array(text.utf8),
            maxDepth: 64,
            selecting: ChatwootTranslation.selection
        )
        return ChatwootTranslation.translate(values, id: "d-1", hook: HookID(trusted: "desk"), source: "hook/desk")
    }

    private static func event(_ text: String) throws -> StrictJSON? {
        guard case .event(let members, let missing) = try translate(text), missing.isEmpty else { return nil }
        return .object(members)
    }

    private static func json(_ text: String) throws -> StrictJSON { try StrictJSON.parse(Array(text.utf8)) }

    /// A message's webhook, with some members replaced.
    private static func message(_ replaced: (String, String)...) -> String {
        let body = SimulatedChatwoot.message("Your order has shipped", to: "u-1", in: 10)
        var text = String(decoding: body, as: UTF8.self)
        for (old, new) in replaced {
            precondition(text.contains(old), "\(old)")
            text = text.replacing(old, with: new)
        }
        return text
    }

    @Test("an agent's message, with the contact's identifier as consumer and the conversation's number")
    func agentMessage() throws {
        let wanted = """
            {"agent":{"id":"7","nickname":"Dana"},"consumer":"u-1","conversation":"desk:10","id":"d-1","source":"hook/desk",\
            "text":"Your order has shipped","time":"2026-01-02T03:04:05.678Z","type":"agent.message"}
            """
        #expect(try Self.event(Self.message()) == Self.json(wanted))
        let old = Self.message((#""message_type":"outgoing""#, #""message_type":1"#))
        #expect(try Self.event(old) == Self.json(wanted))
    }

    @Test(
        "what is nothing for a consumer is ignored for a reason",
        arguments: [
            (#""private":false"#, #""private":true"#, HookIgnored.privateNote),
            (#""private":false"#, #""private":null"#, .privateNote),
            (#""message_type":"outgoing""#, #""message_type":"incoming""#, .notOutgoing),
            (#""message_type":"outgoing""#, #""message_type":"template""#, .notOutgoing),
            (#""event":"message_created""#, #""event":"message_updated""#, .eventNotUsed),
            (#""event":"message_created""#, #""event":5"#, .eventNotUsed),
            (#""identifier":"u-1""#, #""identifier":null"#, .noIdentity),
            (#""identifier":"u-1""#, #""identifier":"""#, .noIdentity),
            (#""content":"Your order has shipped""#, #""content":null"#, .noText),
        ] as [(String, String, HookIgnored)]
    )
    func ignored(old: String, new: String, reason: HookIgnored) throws {
        #expect(try Self.translate(Self.message((old, new))) == .ignored(reason))
        #expect(!reason.detail.isEmpty)
    }

    @Test("a message without text names its attachments; one that is too long is cut at a character")
    func texts() throws {
        let attachments = #""content":"","attachments":[{"file_type":"image"},{"id":2}]"#
        let picture = Self.message((#""content":"Your order has shipped""#, attachments))
        #expect(try Self.event(picture)?.value(at: "/text") == .string("[image] [file]"))
        let long = String(repeating: "\u{1F600}", count: 5000)
        let cut = try #require(try Self.event(Self.message(("Your order has shipped", long)))?.value(at: "/text")?.text)
        #expect(cut.utf8.count <= EventLimits.textBytes && cut.utf8.count > EventLimits.textBytes - 8)
        #expect(cut.hasSuffix("\u{1F600}\u{2026}"))
    }

    @Test("a bot's message has its name; a message of nobody has no agent; a time of another form is left out")
    func senders() throws {
        let bot = Self.message((#""type":"user""#, #""type":"agent_bot""#))
        #expect(try Self.event(bot)?.value(at: "/agent/nickname") == .string("Dana"))
        let nobody = try #require(try Self.event(Self.message((#""type":"user""#, #""type":"contact""#))))
        #expect(nobody.value(at: "/agent") == nil && nobody.value(at: "/text") != nil)
        let old = Self.message(("2026-01-02T03:04:05.678Z", "2020-03-03 13:05:57 UTC"))
        #expect(try Self.event(old)?.value(at: "/time") == nil)
    }

    @Test("a resolved conversation is resolved; other statuses are ignored")
    func resolved() throws {
        func changed(_ status: String) -> String {
            #"{"event":"conversation_status_changed","id":10,"status":"\#(status)","meta":{"sender":{"identifier":"u-1"}}}"#
        }
        let wanted = """
            {"consumer":"u-1","conversation":"desk:10","id":"d-1","source":"hook/desk","type":"conversation.resolved"}
            """
        #expect(try Self.event(changed("resolved")) == Self.json(wanted))
        for status in ["open", "pending", "snoozed"] {
            #expect(try Self.translate(changed(status)) == .ignored(.notResolved))
        }
    }

    @Test("an agent who types is typing; a contact, and an agent who types a note, are not")
    func typing() throws {
        func types(_ user: String, isPrivate: Bool = false) -> String {
            """
            {"event":"conversation_typing_on","user":\(user),"is_private":\(isPrivate),\
            "conversation":{"id":10,"meta":{"sender":{"identifier":"u-1"}}}}
            """
        }
        let agent = #"{"id":7,"type":"user"}"#
        let wanted =
            #"{"consumer":"u-1","conversation":"desk:10","id":"d-1","source":"hook/desk","type":"agent.typing"}"#
        #expect(try Self.event(types(agent)) == Self.json(wanted))
        #expect(try Self.translate(types(agent, isPrivate: true)) == .ignored(.privateNote))
        #expect(try Self.translate(types(#"{"id":12,"identifier":"u-1"}"#)) == .ignored(.notAgent))
    }
}
