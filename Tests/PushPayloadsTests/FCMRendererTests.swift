import Foundation
import GatewayModel
import PushPayloads
import Testing

@Suite struct FCMRendererTests {
    private func message(_ request: PushRequest) throws -> NSDictionary {
        try #require(try request.json["message"] as? NSDictionary)
    }

    @Test("style notification has data, notification and android, and only strings in data")
    func notification() throws {
        let request = Fixtures.fcm(Fixtures.message())
        let expected = try dictionary(
            #"""
            {"message":{"token":"fcm-token:APA91b",
             "data":{"brandId":"acme","messageId":"019b7c5e-1a2b-7001-8123-456789abcdef","conversationId":"c-9",
              "dialogId":"d-9","originatorId":"8500.2001","sequence":"7","agent":"{\"id\":\"8500.2001\",\"nickname\":\"Dana\"}",
              "badge":"3","backendService":"ams",
              "link":"https://a.example/b","linkUnverified":"true","data":"{\"orderId\":\"A17\",\"n\":[1,2]}",
              "title":"Dana","text":"Your order has shipped"},
             "notification":{"title":"Dana","body":"Your order has shipped"},
             "android":{"priority":"HIGH","ttl":"86400s",
              "notification":{"tag":"019b7c5e-1a2b-7001-8123-456789abcdef","notification_count":3,"sound":"default"}}}}
            """#
        )
        #expect(try request.json == expected)
        #expect(request.path == "/v1/projects/proj-1/messages:send")
        #expect(request.headers.map(\.name.description) == ["content-type"])
        #expect(request.badge == 3)
        let data = try #require(try message(request)["data"] as? NSDictionary)
        for (key, value) in data {
            let name = try #require(key as? String)
            #expect(value is String)
            #expect(name != "from" && name != "message_type" && !name.hasPrefix("google") && !name.hasPrefix("gcm"))
        }
    }

    @Test("style data has no part that the system would show")
    func dataStyle() throws {
        let message = try message(Fixtures.fcm(Fixtures.message(), style: .data))
        #expect(message["notification"] == nil)
        #expect(message["android"] as? NSDictionary == ["priority": "HIGH", "ttl": "86400s"])
        #expect((message["data"] as? NSDictionary)?["text"] as? String == "Your order has shipped")
        #expect((message["data"] as? NSDictionary)?["silent"] == nil)
    }

    @Test("a collapse key is the key and the tag")
    func collapse() throws {
        let message = try message(Fixtures.fcm(Fixtures.message { $0.collapseKey = "order-17" }))
        let android = try #require(message["android"] as? NSDictionary)
        #expect(android["collapse_key"] as? String == "order-17")
        #expect((android["notification"] as? NSDictionary)?["tag"] as? String == "order-17")
    }

    @Test("a silent message is data only, without text and badge", arguments: [FCMSettings.Style.notification, .data])
    func silent(style: FCMSettings.Style) throws {
        let request = Fixtures.fcm(Fixtures.message { $0.silent = true }, style: style)
        let message = try message(request)
        #expect(message["notification"] == nil)
        #expect(message["android"] as? NSDictionary == ["priority": "NORMAL", "ttl": "86400s"])
        let data = try #require(message["data"] as? NSDictionary)
        #expect(data["silent"] as? String == "true")
        #expect(data["badge"] == nil)
        #expect(data["text"] == nil)
        #expect(request.badge == nil)
    }

    @Test("a push without a message is data with the badge")
    func badgeOnly() throws {
        let request = Fixtures.fcm(nil, badge: 0)
        let message = try message(request)
        #expect(message["data"] as? NSDictionary == ["brandId": "acme", "badge": "0"])
        #expect(message["notification"] == nil)
        #expect(request.badge == 0)
    }

    @Test(
        "ttl is whole seconds from 0 to four weeks",
        arguments: [(-10, "0s"), (0, "0s"), (59, "59s"), (2_419_200, "2419200s"), (99_999_999, "2419200s")]
    )
    func ttl(seconds: Int64, expected: String) throws {
        let android = try message(Fixtures.fcm(Fixtures.message(), ttlSeconds: seconds))["android"] as? NSDictionary
        #expect(android?["ttl"] as? String == expected)
    }

    @Test("a hidden preview hides title and text everywhere", arguments: [BrandSettings.Preview.sender, .none])
    func preview(preview: BrandSettings.Preview) throws {
        let hidden = Fixtures.message {
            $0.title = "Shipped!"
            $0.text = "secret text"
        }
        let request = Fixtures.fcm(hidden, brand: Fixtures.brand(preview: preview))
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(!body.contains("secret"))
        #expect(!body.contains("Shipped"))
        let data = try message(request)["data"] as? NSDictionary
        #expect(data?["text"] as? String == "New message")
        #expect(data?["title"] as? String == (preview == .sender ? "Dana" : "Acme"))
    }

    @Test("the iOS link goes to iOS devices only")
    func links() throws {
        let data = try message(Fixtures.fcm(Fixtures.message()))["data"] as? NSDictionary
        #expect(data?["link"] as? String == "https://a.example/b")
        #expect(try Fixtures.apns(Fixtures.message()).json["link"] as? String == "https://i.example/a")
    }
}
