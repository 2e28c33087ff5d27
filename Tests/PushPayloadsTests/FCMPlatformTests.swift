import Foundation
import GatewayModel
import PushPayloads
import Testing

/// Messages for Apple devices and browsers that use FCM.
@Suite struct FCMPlatformTests {
    private func message(_ request: PushRequest) throws -> NSDictionary {
        try #require(try request.json["message"] as? NSDictionary)
    }

    private func job(_ message: Message?, _ platform: DevicePlatform, _ change: (inout PushJob) -> Void) -> PushJob {
        var job = Fixtures.job(message, token: "t", platform: platform)
        change(&job)
        return job
    }

    // MARK: Apple

    @Test("an Apple device gets data and apns, and no Android part", arguments: FCMSettings.Style.allCases)
    func apple(style: FCMSettings.Style) throws {
        let request = Fixtures.fcm(Fixtures.message(), style: style, platform: .ios)
        let expected = try dictionary(
            #"""
            {"message":{"token":"fcm-token:APA91b",
             "data":{"brandId":"acme","messageId":"019b7c5e-1a2b-7001-8123-456789abcdef","conversationId":"c-9",
              "dialogId":"d-9","originatorId":"8500.2001","sequence":"7","agent":"{\"id\":\"8500.2001\",\"nickname\":\"Dana\"}",
              "badge":"3","backendService":"ams",
              "link":"https://i.example/a","linkUnverified":"true","data":"{\"orderId\":\"A17\",\"n\":[1,2]}",
              "title":"Dana","text":"Your order has shipped"},
             "apns":{"headers":{"apns-push-type":"alert","apns-priority":"10","apns-expiration":"1767409445",
               "apns-collapse-id":"019b7c5e-1a2b-7001-8123-456789abcdef"},
              "payload":{"aps":{"alert":{"title":"Dana","body":"Your order has shipped"},"badge":3,"sound":"default",
               "thread-id":"c-9","category":"AGENT_MESSAGE","mutable-content":1}}}}}
            """#
        )
        #expect(try request.json == expected)
        #expect(request.badge == 3)
    }

    @Test("aps and the header fields are those of the same push to APNs directly")
    func sameAsAPNs() throws {
        let normal = Fixtures.message { $0.priority = .normal }
        let silent = Fixtures.message { $0.silent = true }
        let keyed = Fixtures.message { $0.collapseKey = String(repeating: "k", count: 65) }
        let jobs: [PushJob] = [
            job(Fixtures.message(), .ios) { _ in }, job(normal, .ios) { _ in },
            job(normal, .ios) { $0.isUrgent = true },
            job(silent, .ios) { _ in }, job(keyed, .ios) { _ in }, job(Fixtures.message(), .ios) { $0.isQuiet = true },
            job(Fixtures.message { $0.sound = nil }, .ios) { $0.sound = "ping.caf" },
            job(Fixtures.message(), .ios) { $0.summary = 4 }, job(nil, .ios) { _ in },
            job(nil, .ios) { $0.read = [Fixtures.mark("c-9", 7, messages: 1)] },
            job(Fixtures.message(), .ios) { $0.expiresAt = Fixtures.now.adding(seconds: -1) },
        ]
        for wakesOnRead in [false, true] {
            let direct = APNsRenderer(brand: Fixtures.brand(), topic: "com.example.app", wakesOnRead: wakesOnRead)
            let behind = FCMRenderer(
                brand: Fixtures.brand(),
                projectID: "p",
                style: .data,
                wakesOnRead: wakesOnRead
            )
            for job in jobs {
                let apns = direct.request(for: job, now: Fixtures.now)
                let fcm = try message(behind.request(for: job, now: Fixtures.now))
                #expect(fcm.at("apns.payload.aps") as? NSDictionary == (try apns.json["aps"] as? NSDictionary))
                let headers = try #require(fcm.at("apns.headers") as? [String: String])
                // FCM sets the topic from the token's app, and its own id.
                let expected = apns.headers.filter { !["apns-topic", "apns-id"].contains($0.name.description) }
                #expect(headers == Dictionary(uniqueKeysWithValues: expected.map { ($0.name.description, $0.value) }))
                #expect(fcm["android"] == nil && fcm["webpush"] == nil && fcm["notification"] == nil)
            }
        }
    }

    // MARK: Browsers

    @Test("a browser gets data, a Web Notification and the link for a click")
    func browser() throws {
        let message = try message(Fixtures.fcm(Fixtures.message(), platform: .web))
        let expected = try dictionary(
            #"""
            {"notification":{"title":"Dana","body":"Your order has shipped","tag":"019b7c5e-1a2b-7001-8123-456789abcdef"},
             "fcm_options":{"link":"https://w.example/c"}}
            """#
        )
        let web = try #require(message["webpush"] as? NSDictionary)
        #expect(web["notification"] as? NSDictionary == expected["notification"] as? NSDictionary)
        #expect(web["fcm_options"] as? NSDictionary == expected["fcm_options"] as? NSDictionary)
        let headers = try #require(web["headers"] as? [String: String])
        #expect(headers.keys.sorted() == ["TTL", "Topic", "Urgency"])
        #expect(headers["TTL"] == "86400" && headers["Urgency"] == "high")
        #expect((message["data"] as? NSDictionary)?["text"] as? String == "Your order has shipped")
        #expect(message["android"] == nil && message["apns"] == nil && message["notification"] == nil)
    }

    @Test("style data leaves showing to the service worker, which gets all members")
    func browserData() throws {
        let message = try message(Fixtures.fcm(Fixtures.message(), style: .data, platform: .web))
        #expect(message.at("webpush.notification") == nil)
        #expect(message.at("data.link") as? String == "https://w.example/c")
    }

    @Test(
        "a topic is base64url with at most 32 characters, and long keys are hashed, not truncated",
        arguments: [
            "order-17", "order.17", "", String(repeating: "a", count: 32), String(repeating: "a", count: 33), "ä b",
        ]
    )
    func topic(key: String) throws {
        let keyed = Fixtures.message { $0.collapseKey = key }
        let topic = try #require(
            try message(Fixtures.fcm(keyed, platform: .web)).at("webpush.headers.Topic") as? String
        )
        #expect(topic.wholeMatch(of: /[A-Za-z0-9_-]{1,32}/) != nil)
        let isFine = key.wholeMatch(of: /[A-Za-z0-9_-]{1,32}/) != nil
        #expect((topic == key) == isFine)
        let other = Fixtures.message { $0.collapseKey = key + "." }
        #expect(
            try message(Fixtures.fcm(other, platform: .web)).at("webpush.headers.Topic") as? String != topic
        )
    }

    @Test("only a push for immediate display is urgent; a quiet one has no sound")
    func urgency() throws {
        func web(_ message: Message?, _ change: (inout PushJob) -> Void = { _ in }) throws -> NSDictionary {
            let renderer = FCMRenderer(brand: Fixtures.brand(), projectID: "p", style: .notification)
            let request = renderer.request(for: job(message, .web, change), now: Fixtures.now)
            return try #require(try self.message(request)["webpush"] as? NSDictionary)
        }
        let normal = Fixtures.message { $0.priority = .normal }
        let silent = Fixtures.message { $0.silent = true }
        for (web, urgency) in [
            (try web(Fixtures.message()), "high"), (try web(normal), "normal"),
            (try web(normal) { $0.isUrgent = true }, "high"),
            (try web(silent), "normal"), (try web(Fixtures.message()) { $0.isQuiet = true }, "normal"),
            (try web(nil), "normal"),
        ] {
            #expect(web.at("headers.Urgency") as? String == urgency)
        }
        #expect(try web(Fixtures.message()) { $0.isQuiet = true }.at("notification.silent") as? Bool == true)
        #expect(try web(Fixtures.message()).at("notification.silent") == nil)
        #expect(try web(silent)["notification"] == nil && web(nil)["notification"] == nil)
        #expect(try web(nil).at("headers.Topic") as? String == "switchboard-badge")
    }

    @Test(
        "a click opens only https links",
        arguments: ["shop://c", "http://w.example/c", "tel:+1", "mailto:a@b.example"]
    )
    func links(link: String) throws {
        let linked = Fixtures.message { $0.link = PlatformLinks(web: link) }
        let message = try message(Fixtures.fcm(linked, platform: .web))
        #expect(message.at("webpush.fcm_options") == nil)
        #expect(message.at("data.link") as? String == link)
    }

    @Test(
        "TTL is whole seconds from 0 to four weeks",
        arguments: [(-10, "0"), (59, "59"), (99_999_999, "2419200")]
    )
    func timeToLive(seconds: Int64, expected: String) throws {
        let message = try message(Fixtures.fcm(Fixtures.message(), platform: .web, ttlSeconds: seconds))
        #expect(message.at("webpush.headers.TTL") as? String == expected)
    }
}
