import GatewayModel
import GatewayStorage
import Outbound
import Testing

@Suite("Consumers' messages for Chatwoot")
struct ReplyTargetTests {
    private let now = Timestamp(milliseconds: 1_767_323_045_000)

    private func target(url: String = "https://chat.example") -> ReplyTarget {
        let reply = HookSettings.Reply(url: url, accountId: 3, token: "hT4bQ9wLr2Vn8XyK")
        return ReplyTarget(brand: BrandID(trusted: "acme"), hook: HookID(trusted: "desk"), reply)
    }

    private func item(_ conversation: String, text: String = "Where is it?") -> OutboundItem {
        let data =
            #"{"messageId":"m","consumer":"u-1","conversation":"\#(conversation)","text":"\#(text)","data":{"a":[]}}"#
        return OutboundItem(position: 17, type: .consumerMessage, time: now, data: JSONText(trusted: data))
    }

    @Test(
        "a message of the contact, with the position as echo_id",
        arguments: ["https://chat.example", "https://chat.example/"]
    )
    func request(url: String) {
        let target = target(url: url)
        let request = target.request(for: [item("desk:10", text: #"a \"quoted\"\u000a line"#)], hasGap: true, at: now)
        #expect(request.url == "https://chat.example/api/v1/accounts/3/conversations/10/messages")
        #expect(request.headers.map { $0.name } == ["api_access_token"])
        #expect(request.headers.map { $0.value } == ["hT4bQ9wLr2Vn8XyK"])
        #expect(
            String(decoding: request.body, as: UTF8.self) == """
                {"content":"a \\"quoted\\"\\n line","message_type":"incoming","private":false,"echo_id":"17"}
                """
        )
        #expect(target.types == [.consumerMessage] && target.maxItems == 1)
    }

    @Test("only messages in conversations that the hook names, whatever others look like")
    func conversations() {
        let target = target()
        #expect(target.takes(item("desk:10")) && target.takes(item("desk:9223372036854775807")))
        for other in [
            "10", "desk", "desk:", "desk:0", "desk:-1", "desk:+1", "desk:010", "desk:10~3", "desk:10 ", "desk: 10",
            "desk:1e1", "desk:9223372036854775808", "desk:\u{661}", "Desk:10", "desk2:10", "other:10", "xdesk:10",
            "desk/10", "desk\u{301}:10",
        ] {
            #expect(!target.takes(item(other)), "\(other)")
        }
        let erased = OutboundItem(
            position: 1,
            type: .consumerMessage,
            time: now,
            data: JSONText(trusted: #"{"erased":true}"#)
        )
        #expect(!target.takes(erased))
    }

    @Test("what the same request would get again is final; another token or time may change the rest")
    func statuses() {
        let target = target()
        for status in [400, 404, 405, 410, 413, 415, 422] { #expect(target.isFinal(status: status), "\(status)") }
        for status in [200, 204, 301, 401, 403, 407, 408, 425, 429, 500, 503] {
            #expect(!target.isFinal(status: status), "\(status)")
        }
    }

    @Test("a message that is refused for good is passed, and the outage before it is over")
    func skipped() {
        var machine = WebhookMachine(WebhookState(mark: 3))
        let page = OutboundPage(items: [item("desk:10")], nextAfter: 17, end: 17, removedThrough: 0, isWhole: true)
        machine.collected(page)
        machine.ended(.responded(status: 503, retryAfterSeconds: nil), through: 17, now: now, jitter: 0)
        machine.ended(.rejected(status: 404), through: 17, now: now, jitter: 0)
        #expect(machine.state.mark == 17 && machine.state.batchThrough == nil && machine.state.attempts == 0)
        #expect(machine.state.lastStatus == 404 && machine.state.lastError == "skipped")
        #expect(machine.step(now: now) == .collect(after: 17))
        machine.ended(.responded(status: 200, retryAfterSeconds: nil), through: 18, now: now, jitter: 0)
        #expect(machine.state.lastError == nil)
    }
}
