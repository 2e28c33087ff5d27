import Foundation
import GatewayModel
import PushPayloads
import Testing

@Suite struct APNsRendererTests {
    @Test("a message has the shape that the DevicesBadgesTaps page describes")
    func message() throws {
        let request = Fixtures.apns(Fixtures.message())
        let expected = try dictionary(
            #"""
            {"aps":{"alert":{"title":"Dana","body":"Your order has shipped"},"badge":3,"sound":"default",
             "thread-id":"c-9","category":"AGENT_MESSAGE","mutable-content":1},
             "brandId":"acme","messageId":"019b7c5e-1a2b-7001-8123-456789abcdef","conversationId":"c-9",
             "dialogId":"d-9","originatorId":"8500.2001","sequence":7,"badge":3,"backendService":"ams",
             "agent":{"id":"8500.2001","nickname":"Dana"},"text":"Your order has shipped","link":"https://i.example/a","linkUnverified":true,"data":{"orderId":"A17","n":[1,2]}}
            """#
        )
        #expect(try request.json == expected)
        #expect(request.path == "/3/device/ab12cd")
        #expect(request.badge == 3)
    }

    @Test("the headers carry topic, type, priority, expiration, the device's own id and the message's collapse id")
    func headers() {
        let message = Fixtures.message()
        let request = Fixtures.apns(message)
        #expect(
            request.headers == [
                PushHeader(name: "apns-topic", value: "com.example.app", indexing: .incremental),
                PushHeader(name: "apns-push-type", value: "alert", indexing: .incremental),
                PushHeader(name: "apns-priority", value: "10", indexing: .incremental),
                PushHeader(
                    name: "apns-expiration",
                    value: String(Fixtures.now.adding(seconds: 86_400).seconds),
                    indexing: .none
                ),
                PushHeader(name: "apns-id", value: message.id.derived(by: 5).description, indexing: .none),
                PushHeader(name: "apns-collapse-id", value: message.id.description, indexing: .none),
            ]
        )
        #expect(request.header("apns-id") == request.header("apns-id")?.lowercased())
    }

    @Test("an expired push is tried once and not stored", arguments: [-5, 0])
    func expired(seconds: Int64) {
        #expect(Fixtures.apns(Fixtures.message(), ttlSeconds: seconds).header("apns-expiration") == "0")
    }

    @Test("normal priority is 5")
    func normalPriority() {
        #expect(Fixtures.apns(Fixtures.message { $0.priority = .normal }).header("apns-priority") == "5")
    }

    @Test("a silent message is a background push without alert, sound and badge")
    func silent() throws {
        let request = Fixtures.apns(Fixtures.message { $0.silent = true })
        let json = try request.json
        #expect(json["aps"] as? NSDictionary == ["content-available": 1])
        #expect(json["badge"] == nil)
        #expect(json["messageId"] as? String == Fixtures.messageID.description)
        #expect(json["data"] as? NSDictionary == ["orderId": "A17", "n": [1, 2]])
        #expect(request.header("apns-push-type") == "background")
        #expect(request.header("apns-priority") == "5")
        #expect(request.badge == nil)
    }

    @Test("a push without a message only sets the badge")
    func badgeOnly() throws {
        let request = Fixtures.apns(nil, badge: 4)
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"aps":{"badge":4}}"#)
        #expect(request.header("apns-push-type") == "alert")
        #expect(request.header("apns-priority") == "5")
        #expect(request.header("apns-collapse-id") == nil)
        #expect(MessageID(request.header("apns-id") ?? "") != nil)
        #expect(request.badge == 4)
    }

    @Test(
        "a preview shows no more than its setting allows",
        arguments: [
            (BrandSettings.Preview.full, "Shipped!", "secret text"),
            (.sender, "Dana", "New message"),
            (.none, "Acme", "New message"),
        ]
    )
    func preview(preview: BrandSettings.Preview, title: String, text: String) throws {
        let message = Fixtures.message {
            $0.title = "Shipped!"
            $0.text = "secret text"
        }
        let request = Fixtures.apns(message, brand: Fixtures.brand(preview: preview))
        #expect(
            try (request.json["aps"] as? NSDictionary)?["alert"] as? NSDictionary == ["title": title, "body": text]
        )
        if preview != .full {
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(!body.contains("secret"))
            #expect(!body.contains("Shipped"))
        }
    }

    @Test(
        "R194: agent and text are members of their own, whatever the headline says and as far as the preview allows",
        arguments: [
            (BrandSettings.Preview.full, "Dana", "Your order has shipped"), (.sender, "Dana", "New message"),
            (.none, nil, "New message"),
        ] as [(BrandSettings.Preview, String?, String)]
    )
    func agentAndText(preview: BrandSettings.Preview, nickname: String?, text: String) throws {
        let brand = Fixtures.brand(preview: preview)
        let message = Fixtures.message { $0.title = "Shipped!" }
        var agent = ["id": "8500.2001"]
        agent["nickname"] = nickname
        let apns = try Fixtures.apns(message, brand: brand).json
        #expect(apns["agent"] as? [String: String] == agent)
        #expect(apns["text"] as? String == text)
        let data = try Fixtures.fcm(message, brand: brand).json.at("message.data") as? [String: String]
        #expect(try dictionary(data?["agent"] ?? "") as? [String: String] == agent)
        #expect(data?["text"] == text)
        let nobody = Fixtures.message {
            $0.agentID = nil
            $0.agentNickname = nil
        }
        #expect(try Fixtures.apns(nobody, brand: brand).json["agent"] == nil)
        #expect(try Fixtures.fcm(nobody, brand: brand).json.at("message.data.agent") == nil)
        // A silent push shows nothing.
        #expect(try Fixtures.apns(Fixtures.message { $0.silent = true }, brand: brand).json["text"] == nil)
    }

    @Test("the title falls back to the sender, then to the brand")
    func titles() throws {
        func title(_ message: Message) throws -> String? {
            let alert = try (Fixtures.apns(message).json["aps"] as? NSDictionary)?["alert"] as? NSDictionary
            return alert?["title"] as? String
        }
        #expect(try title(Fixtures.message { $0.title = "T" }) == "T")
        #expect(try title(Fixtures.message()) == "Dana")
        #expect(try title(Fixtures.message { $0.agentNickname = nil }) == "Acme")
    }

    @Test("absent members are left out")
    func minimal() throws {
        let message = Fixtures.message {
            $0.dialog = nil
            $0.agentID = nil
            $0.data = nil
            $0.link = PlatformLinks(android: "https://a.example")
            $0.category = nil
            $0.sound = nil
            $0.kind = .proactive
        }
        let json = try Fixtures.apns(message, badge: nil).json
        #expect(
            json["aps"] as? NSDictionary == [
                "alert": ["title": "Dana", "body": "Your order has shipped"], "thread-id": "c-9", "mutable-content": 1,
            ]
        )
        #expect(
            Set(json.allKeys.compactMap { $0 as? String })
                == ["aps", "brandId", "messageId", "conversationId", "sequence", "agent", "text", "backendService"]
        )
        #expect(json["backendService"] as? String == "prmsg")
    }

    @Test(
        "a collapse key is kept when it fits 64 bytes, else hashed",
        arguments: [
            ("order-17", "order-17"), (String(repeating: "é", count: 32), String(repeating: "é", count: 32)),
        ]
    )
    func collapseKey(key: String, expected: String) {
        #expect(Fixtures.apns(Fixtures.message { $0.collapseKey = key }).header("apns-collapse-id") == expected)
    }

    @Test(
        "keys that are not valid in a field are hashed",
        arguments: [
            String(repeating: "é", count: 33), "a\nb", " a", "a ", "a\u{7F}", String(repeating: "k", count: 70),
        ]
    )
    func hashedCollapseKey(key: String) throws {
        func id(_ key: String) throws -> String {
            try #require(Fixtures.apns(Fixtures.message { $0.collapseKey = key }).header("apns-collapse-id"))
        }
        #expect(try id(key).hasPrefix("key-"))
        #expect(try id(key).utf8.count <= 64)
        #expect(try id(key) == id(key))
        #expect(try id(key) != id(key + "x"))
    }

    @Test("a token cannot change the path")
    func hostileToken() {
        let request = APNsRenderer(brand: Fixtures.brand(), topic: "t")
            .request(for: Fixtures.job(nil, token: "a/../b?c d\r\né"), now: Fixtures.now)
        #expect(request.path == "/3/device/a%2F..%2Fb%3Fc%20d%0D%0A%C3%A9")
    }
}
