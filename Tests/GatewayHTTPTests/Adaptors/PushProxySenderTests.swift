import GatewayModel
import HTTPTypes
import PushPayloads
import Testing

@testable import GatewayHTTP

@Suite("A brand's push proxy as the sender", .timeLimit(.minutes(10)))
struct PushProxySenderTests {
    private static let path = "/v1/brands/acme/apps/proxied"

    private static func app(_ platform: String = "android") -> String {
        """
        {"platform":"\(platform)","dialect":"liveperson","pushProxy":{"url":"https://push.example.com/lp?a=1",\
        "basic":{"username":"acme","password":"hush-1"},"headers":{"Tenant":"hush-2"}}}
        """
    }

    @Test("R183: the settings are stored, and their secrets never returned")
    func settings() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let put = try await api.call(.put, Self.path, Self.app())
            #expect(put.status == 201, "\(put.text)")
            for reply in [put, try await api.call(.get, Self.path)] {
                let proxy = try #require(reply["pushProxy"])
                #expect(proxy["url"]?.string == "https://push.example.com/lp?a=1")
                #expect(proxy["basic"]?["username"]?.string == "acme")
                #expect(proxy["basic"]?["passwordFingerprint"]?.string?.utf8.count == 8)
                #expect(proxy["headers"]?.names == ["TenantFingerprint"])
                #expect(!reply.text.contains("hush"))
            }
            #expect(try await !api.dump().values.contains { $0.contains("hush") })
            // A tenant's change of the URL makes it the tenant's.
            let tenant = try await api.makeAccount("acme", "brand:admin")
            let same = try await api.call(.put, Self.path, as: tenant, Self.app())
            #expect(same["endpointsBy"]?.string == "admin")
            let other = try await api.call(.put, Self.path, as: tenant, Self.app().replacing("a=1", with: "a=2"))
            #expect(other["endpointsBy"]?.string == "tenant")
        }
    }

    @Test("a preview is the proxy's request, without its secrets, and reports what does not fit")
    func preview() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            for (platform, pushType) in [("ios", "apns"), ("android", "fcm"), ("harmony", "huawei")] {
                let put = try await api.call(.put, Self.path, Self.app(platform))
                try #require(put.status == 200 || put.status == 201, "\(put.text)")
                let event =
                    #"{"id":"e","type":"agent.message","consumer":"u-1","conversation":"c-1","text":"hello","data":{"payload":{}}}"#
                let body = #"{"event":\#(event),"pushType":"\#(pushType)"}"#
                let reply = try await api.call(.post, Self.path + "/preview", body)
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply["url"]?.string == "https://push.example.com/lp?a=1")
                #expect(reply["headers"]?["authorization"]?.string == "Basic ***")
                #expect(reply["headers"]?["Tenant"]?.string == "***")
                #expect(reply["body"]?["device-token"]?.string == "device-token")
                #expect(reply["truncated"]?.items.isEmpty == true, "\(reply.text)")
                #expect(!reply.text.contains("hush"))
                let long = body.replacing("hello", with: String(repeating: "word ", count: 1000))
                let cut = try await api.call(.post, Self.path + "/preview", long)
                #expect(cut["truncated"]?.items == [.string("text")], "\(cut.text)")
            }
        }
    }

    // MARK: From the sender to the receiver

    private static func job(_ token: String, _ change: (inout AgentEvent) -> Void = { _ in }) -> PushJob {
        var event = AgentEvent(
            id: EventID(trusted: "evt-1"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "u-9")
        )
        event.text = "Your \"order\" has shipped"
        event.agentID = "8500.2001"
        event.agentNickname = "Dana"
        event.data = JSONText(trusted: #"{"orderId":"A17"}"#)
        event.sound = "default"
        change(&event)
        let time = Timestamp(milliseconds: 1_767_323_045_678)
        let message = Message(
            PostedEvent(event, MessageID(high: 0x019B_7C5E_1A2B_7001, low: 0x8123_4567_89AB_CDEF)),
            brand: BrandID(trusted: "acme"),
            conversation: event.conversation ?? ConversationID(trusted: "c-9"),
            sequence: 7,
            acceptedAt: time,
            expiresAt: time.adding(seconds: 60)
        )
        return PushJob(
            delivery: DeliveryID(1),
            registration: RegistrationID(1),
            token: token,
            platform: .android,
            message: message,
            badge: 3,
            expiresAt: message.expiresAt
        )
    }

    @Test("R72 R183: another gateway's proxy takes what the sender writes, for each of the three providers")
    func accepted() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand(settings: #"{"wire":{"liveperson":true}}"#)
            let account = try await api.makeAccount("acme", "events:write")
            try #require(try await api.call(.put, Self.path, Self.app()).status == 201)
            let brand = Brand(
                id: BrandID(trusted: "acme"),
                name: "Acme",
                settings: BrandSettings(),
                createdAt: Timestamp(milliseconds: 0)
            )
            for (pushType, token) in [(PushType.apns, "aabbccdd"), (.fcm, "fcm-token:1"), (.huawei, "huawei-token_1")] {
                let session = try await api.makeSession("u-\(pushType)", device: "d-\(pushType)")
                let app = pushType == .apns ? "/v1/brands/acme/apps/ios" : Self.path
                let registered = try await api.call(
                    .put,
                    app + "/devices/d-\(pushType)",
                    as: session,
                    #"{"token":"\#(token)","pushType":"\#(pushType.rawValue)"}"#
                )
                try #require([200, 201].contains(registered.status), "\(registered.text)")
                let renderer = PushProxyRenderer(brand: brand, pushType: pushType)
                func push(_ job: PushJob) async throws -> Reply {
                    let body = renderer.request(for: job, path: "/").body
                    return try await api.call(.post, "/v1/brands/acme/push-proxy", as: account, bytes: body)
                }
                let first = try await push(Self.job(token))
                #expect(first.status == 200 && first["deliveries"]?.int == 1, "\(first.text)")
                let again = try await push(Self.job(token))
                #expect(again.status == 200 && again["deliveries"]?.int == 0, "\(again.text)")
                let proactive = try await push(
                    Self.job(token) { event in
                        event.type = .proactiveMessage
                        event.kind = .proactive
                        event.conversation = ConversationID(trusted: "c-10")
                    }
                )
                #expect(proactive.status == 200, "\(proactive.text)")
                // These show nothing, and are not stored.
                var badge = Self.job(token)
                badge.message = nil
                badge.read = [ReadMark(conversation: ConversationID(trusted: "c-9"), upToSequence: 7, messageIDs: [])]
                for job in [badge, Self.job(token) { $0.silent = true }] {
                    let quiet = try await push(job)
                    #expect(quiet.status == 200 && quiet["deliveries"]?.int == 0, "\(quiet.text)")
                }
                let messages = try await api.call(.get, "/v1/brands/acme/messages?conversation=c-9", as: session)
                let texts = messages["items"]?.items.map { $0["text"]?.string }
                let text = "Your \"order\" has shipped"
                #expect(texts == [pushType == .apns ? "Dana: " + text : text], "\(messages.text)")
                try await push(Self.job(token + "00")).expectEnvelope(403, "forbidden")
            }
        }
    }
}
