import Foundation
import GatewayModel
import PushPayloads
import Testing

// PushPayloads has a type of this name too.
import enum SwitchboardClient.JSONValue
@testable import SwitchboardClient

/// The formats of other systems, read by the device library's own parser.
@Suite("Payload dialects")
struct DialectTests {
    private static let others: [AppSettings.Dialect] = [.liveperson, .ujet, .bloomreach]
    private static let parser = PushParser(brandID: "acme", dialects: Set(PushMessage.Dialect.allCases))

    private enum Transport: CaseIterable {
        case apns
        case fcm
        case fcmToApple
    }

    private func dialect(_ dialect: AppSettings.Dialect) -> PushMessage.Dialect {
        switch dialect {
        case .switchboard: .switchboard
        case .liveperson: .livePerson
        case .ujet: .ujet
        case .bloomreach: .bloomreach
        }
    }

    private func request(
        _ job: PushJob,
        _ dialect: AppSettings.Dialect,
        _ transport: Transport,
        brand: Brand = Fixtures.brand(),
        links: LinkSettings? = nil
    ) -> PushRequest {
        var job = job
        if transport == .fcm { job.platform = .android }
        guard transport != .apns else {
            return APNsRenderer(brand: brand, topic: "com.example.app", links: links, dialect: dialect)
                .request(for: job, now: Fixtures.now)
        }
        return FCMRenderer(brand: brand, projectID: "p", style: .notification, links: links, dialect: dialect)
            .request(for: job, now: Fixtures.now)
    }

    /// The members as the device gets them: over FCM the texts of `data`, beside `aps` on an Apple device.
    private func payload(_ request: PushRequest, _ transport: Transport) throws -> PushPayload {
        guard transport != .apns else { return PushPayload(json: Data(request.body)) }
        let message = try #require(JSONValue(parsing: Data(request.body), maxBytes: 65_536)?["message"])
        let data = try texts(request)
        guard transport == .fcmToApple else { return PushPayload(data: data) }
        var members = data.mapValues { JSONValue.string($0) }
        members["aps"] = try #require(message["apns"]?["payload"]?["aps"])
        return PushPayload(json: JSONValue.object(members).data)
    }

    /// The members of FCM's `data`, which are all texts.
    private func texts(_ request: PushRequest) throws -> [String: String] {
        let json = try #require(JSONValue(parsing: Data(request.body), maxBytes: 65_536))
        return try #require(json["message"]?["data"]?.members).mapValues { value in
            guard case .string(let text) = value else { throw NoText() }
            return text
        }
    }

    private struct NoText: Error {}

    private func parsed(
        _ job: PushJob,
        _ dialect: AppSettings.Dialect,
        _ transport: Transport
    ) throws -> PushMessage {
        try #require(Self.parser.parse(payload(request(job, dialect, transport), transport)))
    }

    @Test(
        "R39 R103 R162: the device library recognises and reads what is rendered",
        arguments: AppSettings.Dialect.allCases
    )
    func roundTrip(dialect: AppSettings.Dialect) throws {
        for transport in Transport.allCases {
            let message = try parsed(Fixtures.job(Fixtures.message()), dialect, transport)
            #expect(message.dialect == self.dialect(dialect), "\(transport)")
            #expect(message.kind == (dialect == .bloomreach ? .proactive : .agent))
            #expect(message.id == Fixtures.messageID.description)
            #expect(message.text == "Your order has shipped")
            #expect(message.title == "Dana")
            #expect(message.link == (transport == .fcm ? "https://a.example/b" : "https://i.example/a"))
            #expect(!message.isTruncated)
            if dialect != .bloomreach {
                #expect(message.conversationID == "c-9")
                #expect(message.badge == 3)
                #expect(message.data?["orderId"]?.text == "A17")
            }
        }
    }

    @Test("R39 R103 R162: a push of one system is none of another", arguments: others)
    func foreign(dialect: AppSettings.Dialect) throws {
        for transport in Transport.allCases {
            let payload = try payload(request(Fixtures.job(Fixtures.message()), dialect, transport), transport)
            for other in PushMessage.Dialect.allCases where other != self.dialect(dialect) {
                #expect(PushParser(brandID: "acme", dialects: [other]).parse(payload) == nil, "\(transport) \(other)")
            }
            #expect((PushParser(brandID: "else", dialects: [.livePerson]).parse(payload)) == nil)
        }
    }

    @Test("trap 7, trap 8: LivePerson's members are numbers over APNs, and JSON text in `payload` over FCM")
    func livePerson() throws {
        let job = Fixtures.job(Fixtures.message { $0.data = nil })
        let direct = try request(job, .liveperson, .apns).json
        let expected = try dictionary(
            #"""
            {"aps":{"alert":"Dana: Your order has shipped","badge":3,"sound":"default","thread-id":"c-9",
              "category":"AGENT_MESSAGE","mutable-content":1},
             "push-service":1,"notificationType":"apn","backendService":"ams","conversationId":"c-9","dialogId":"d-9",
             "originatorId":"8500.2001","brandId":"acme","sequence":7,"messageId":"019b7c5e-1a2b-7001-8123-456789abcdef",
             "badge":3,"agent":{"id":"8500.2001","nickname":"Dana"},"link":"https://i.example/a","linkUnverified":true,
             "title":"Dana","text":"Your order has shipped"}
            """#
        )
        #expect(direct == expected)
        let mapped = request(job, .liveperson, .fcm)
        let data = try texts(mapped)
        #expect(Set(data.keys) == ["message", "payload"])
        #expect(data["message"] == "Your order has shipped")
        let inner = try dictionary(try #require(data["payload"]))
        #expect(inner["brandId"] as? String == "acme")
        #expect(inner["badge"] as? Int == 3)
        #expect(inner["sequence"] as? Int == 7)
        #expect(try mapped.json.at("message.android.notification.notification_count") as? Int == 3)
    }

    @Test("R113: proactive messages and C2M keep their mark", arguments: [MessageKind.proactive, .c2m])
    func proactive(kind: MessageKind) throws {
        let message = Fixtures.message {
            $0.kind = kind
            $0.campaign = "spring"
        }
        for transport in Transport.allCases {
            for dialect in [AppSettings.Dialect.liveperson, .ujet] {
                let parsed = try parsed(Fixtures.job(message), dialect, transport)
                #expect(parsed.kind.rawValue == kind.rawValue)
            }
            let parsed = try parsed(Fixtures.job(message), .bloomreach, transport)
            #expect(parsed.data?["campaign_id"]?.text == "spring")
            #expect(parsed.data?["event_type"]?.text == "campaign")
            #expect(parsed.sentAt == Date(timeIntervalSince1970: 1_767_323_045))
        }
    }

    @Test("R162: Bloomreach's members, all of them texts over FCM")
    func bloomreach() throws {
        let body = try request(Fixtures.job(Fixtures.message()), .bloomreach, .apns).json
        #expect(body["source"] as? String == "xnpe_platform")
        #expect(body["notification_id"] as? Int == 0x09AB_CDEF)
        #expect(body["message"] as? String == "Your order has shipped")
        #expect(body["action"] as? String == "browser")
        #expect(body["has_tracking_consent"] as? Bool == true)
        #expect(body.at("data.orderId") as? String == "A17")
        #expect(body["brandId"] == nil)
        let texts = try texts(request(Fixtures.job(Fixtures.message()), .bloomreach, .fcm))
        #expect(texts["notification_id"] == "162254319")
        #expect(texts["sound"] == "default")
        #expect(texts["url"] == "https://a.example/b")
        let plain = Fixtures.message { $0.link = PlatformLinks() }
        #expect(try request(Fixtures.job(plain), .bloomreach, .apns).json["action"] as? String == "app")
        let scheme = Fixtures.message { $0.link = PlatformLinks(ios: "shop://order/17") }
        #expect(try request(Fixtures.job(scheme), .bloomreach, .apns).json["action"] as? String == "deeplink")
    }

    @Test("R139 R185: silent pushes show nothing, and a self-check is one", arguments: AppSettings.Dialect.allCases)
    func silent(dialect: AppSettings.Dialect) throws {
        for transport in Transport.allCases {
            let silent = Fixtures.message {
                $0.silent = true
                $0.data = nil
            }
            let message = try parsed(Fixtures.job(silent), dialect, transport)
            #expect(message.kind == .silent, "\(transport)")
            #expect(message.badge == nil)
            #expect(message.text == nil)
            let check = Fixtures.message {
                $0.silent = true
                $0.data = SelfCheckPush.data
            }
            #expect(try parsed(Fixtures.job(check, badge: nil), dialect, transport).kind == .selfCheck, "\(transport)")
        }
    }

    @Test("badge pushes have Switchboard's format in every dialect", arguments: others)
    func badge(dialect: AppSettings.Dialect) {
        for transport in Transport.allCases {
            let job = Fixtures.badgeJob([Fixtures.mark("c-9", 7, messages: 2)])
            #expect(request(job, dialect, transport) == request(job, .switchboard, transport))
        }
    }

    @Test("a hidden preview hides title and text in every dialect", arguments: others)
    func hidden(dialect: AppSettings.Dialect) {
        let hidden = Fixtures.message {
            $0.title = "Shipped!"
            $0.text = "secret words"
        }
        for transport in Transport.allCases {
            let brand = Fixtures.brand(preview: .none)
            let body = String(
                decoding: request(Fixtures.job(hidden), dialect, transport, brand: brand).body,
                as: UTF8.self
            )
            #expect(!body.contains("secret"))
            #expect(!body.contains("Shipped"))
            #expect(!body.contains("Dana"))
        }
    }

    @Test("pushes stay within 4096 bytes and valid, whatever their members", arguments: others)
    func size(dialect: AppSettings.Dialect) throws {
        let hostile = String(repeating: "\"", count: 256)
        for transport in Transport.allCases {
            for count in [0, 100, 900, 1900, 3000, 3600, 4096, 20_000] {
                for unit in ["a", "\"", "é", "👩‍👩‍👧‍👦", "\\"] {
                    for dataSize in [0, 1500, 3900] {
                        let text = String(repeating: unit, count: count)
                        let message = Fixtures.message {
                            $0.text = text
                            $0.conversation = ConversationID(trusted: hostile)
                            $0.data =
                                dataSize == 0
                                ? nil : JSONText(trusted: "{\"d\":\"\(String(repeating: "z", count: dataSize))\"}")
                        }
                        let job = Fixtures.job(message)
                        let request = request(job, dialect, transport)
                        let limit = transport == .apns ? 4096 : 4096 + job.token.utf8.count
                        #expect(request.body.count <= limit, "\(transport) \(unit) \(count) \(dataSize)")
                        let parsed = try #require(try Self.parser.parse(payload(request, transport)))
                        if parsed.text != text, count > 0 { #expect(parsed.isTruncated) }
                    }
                }
            }
        }
    }
}
