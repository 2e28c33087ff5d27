import Foundation
import GatewayModel
import PushPayloads
import Testing

/// Payloads never exceed the provider's limit, whatever the text.
@Suite struct SizeLimitTests {
    static let alphabets: [(name: String, characters: [String])] = [
        ("ascii", ["a", "b", " "]),
        ("escapes", ["\"", "\\", "\n", "\u{1}", "x"]),
        ("cjk", ["漢", "字"]),
        ("emoji", ["😀", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽"]),
        ("combining", ["e\u{301}\u{323}", "n\u{303}", "o"]),
        ("separators", ["\u{2028}", "\u{2029}", "\r\n"]),
        ("hangul", ["\u{1100}\u{1161}\u{11A8}", "\u{AC00}"]),
        ("mixed", ["a", "é", "漢", "😀", "\"", "e\u{301}", "\t"]),
    ]

    static let sizes = [
        0, 1, 50, 99, 100, 101, 150, 400, 900, 1500, 1900, 3000, 3400, 3600, 3700, 4000, 4096, 6000, 20_000,
    ]

    private func text(_ characters: [String], count: Int, seed: Int) -> String {
        var text = ""
        var state = UInt64(seed) &+ 0x9E37_79B9
        for _ in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text += characters[Int(state >> 33) % characters.count]
        }
        return text
    }

    /// Checks a shown text against the whole one, and returns whether it was truncated.
    private func check(shown: String?, whole: String, isTruncated: Bool, hasData: Bool) throws {
        let shown = try #require(shown)
        #expect(!shown.unicodeScalars.contains("\u{FFFD}"))
        if shown == whole { return }
        #expect(isTruncated)
        if shown == BrandRendering.genericText { return }
        #expect(shown.hasSuffix("…"))
        let kept = shown.dropLast()
        #expect(kept.count >= 100)
        // Scalars, not characters: a cut inside a grapheme would still be a prefix of scalars.
        #expect(whole.unicodeScalars.starts(with: kept.unicodeScalars))
        #expect(Array(whole.prefix(kept.count)) == Array(kept))
    }

    @Test("APNs bodies stay within 4096 bytes and valid", arguments: alphabets.map(\.name))
    func apns(name: String) throws {
        let alphabet = try #require(Self.alphabets.first { $0.name == name }).characters
        for size in Self.sizes {
            for dataSize in [nil, 10, 2000, 3600, 5000] {
                let text = text(alphabet, count: size, seed: size)
                let message = Fixtures.message {
                    $0.text = text
                    $0.data = dataSize.map { JSONText(trusted: "{\"d\":\"\(String(repeating: "z", count: $0))\"}") }
                }
                let request = Fixtures.apns(message)
                #expect(request.body.count <= 4096)
                #expect(String(validating: request.body, as: UTF8.self) != nil)
                let json = try request.json
                let alert = (json["aps"] as? NSDictionary)?["alert"] as? NSDictionary
                let isTruncated = json["truncated"] as? Bool == true
                try check(shown: alert?["body"] as? String, whole: text, isTruncated: isTruncated, hasData: true)
                let copy = json["text"] as? String
                #expect(copy == nil || copy == alert?["body"] as? String)
                #expect(isTruncated || (json["data"] != nil) == (dataSize != nil))
                #expect(json["messageId"] as? String == message.id.description)
                #expect((json["aps"] as? NSDictionary)?["badge"] as? Int == 3)
            }
        }
    }

    @Test(
        "FCM payloads stay within 4096 bytes of keys and values and valid",
        arguments: alphabets.map(\.name),
        [
            (FCMSettings.Style.notification, DevicePlatform.android), (.data, .android), (.data, .ios),
            (.notification, .web), (.data, .web),
        ]
    )
    func fcm(name: String, kind: (style: FCMSettings.Style, platform: DevicePlatform)) throws {
        let (style, platform) = kind
        let alphabet = try #require(Self.alphabets.first { $0.name == name }).characters
        let token = String(repeating: "t", count: 3000)
        for size in Self.sizes {
            for dataSize in [nil, 10, 2000, 3600] {
                let text = text(alphabet, count: size, seed: size)
                let message = Fixtures.message {
                    $0.text = text
                    $0.data = dataSize.map { JSONText(trusted: "{\"d\":\"\(String(repeating: "z", count: $0))\"}") }
                }
                let request = Fixtures.fcm(message, style: style, token: token, platform: platform)
                #expect(request.body.count - token.utf8.count <= 4096)
                #expect(String(validating: request.body, as: UTF8.self) != nil)
                let envelope = try #require(try request.json["message"] as? NSDictionary)
                let data = try #require(envelope["data"] as? [String: String])
                let shown = Self.shown(envelope, on: platform)
                #expect(shown == nil || shown == data["text"])
                #expect((shown == nil) == (style == .data && platform != .ios))
                let isTruncated = data["truncated"] == "true"
                try check(shown: data["text"], whole: text, isTruncated: isTruncated, hasData: true)
                #expect(isTruncated || (data["data"] != nil) == (dataSize != nil))
            }
        }
    }

    /// Returns the text that the system or the browser shows.
    private static func shown(_ envelope: NSDictionary, on platform: DevicePlatform) -> String? {
        switch platform {
        case .ios: envelope.at("apns.payload.aps.alert.body") as? String
        case .web: envelope.at("webpush.notification.body") as? String
        case .android, .harmony: envelope.at("notification.body") as? String
        }
    }

    @Test("as much text is kept as fits: one more character would exceed the limit")
    func tight() throws {
        let text = String(repeating: "a", count: 9000)
        #expect(Fixtures.apns(Fixtures.message { $0.text = text }).body.count == 4096)
        // It has the text twice.
        let fcm = Fixtures.fcm(Fixtures.message { $0.text = text }, token: "t").body.count - 1
        #expect(fcm == 4096 || fcm == 4095)
    }

    @Test("R194: the repeated text, then the agent is left out before the shown text is truncated or data removed")
    func extrasGoFirst() throws {
        // Whether text, agent, data are there, and the shown text is whole, from the smallest text on.
        var steps: [[Bool]] = []
        for count in stride(from: 1000, through: 4000, by: 20) {
            let text = String(repeating: "a", count: count)
            let json = try Fixtures.apns(Fixtures.message { $0.text = text }).json
            let isWhole = json.at("aps.alert.body") as? String == text
            #expect((json["truncated"] as? Bool == true) == !isWhole)
            let step = [json["text"] != nil, json["agent"] != nil, json["data"] != nil, isWhole]
            if steps.last != step { steps.append(step) }
        }
        #expect(
            steps == [
                [true, true, true, true], [false, true, true, true], [false, false, true, true],
                [false, false, true, false],
            ]
        )
    }

    @Test("R194: FCM's data keeps the text; the agent is left out before the text is truncated or data removed")
    func agentGoesFirst() throws {
        var steps: [[Bool]] = []
        for count in stride(from: 1000, through: 4000, by: 10) {
            let text = String(repeating: "a", count: count)
            let request = Fixtures.fcm(Fixtures.message { $0.text = text }, token: "t")
            let data = try #require(try request.json.at("message.data") as? [String: String])
            let isWhole = data["text"] == text
            #expect((data["truncated"] == "true") == !isWhole)
            let step = [data["agent"] != nil, data["data"] != nil, isWhole]
            if steps.last != step { steps.append(step) }
        }
        #expect(steps == [[true, true, true], [false, true, true], [false, true, false]])
    }

    @Test("data is removed before the text is truncated below 100 characters, and then the text is complete again")
    func dataGoesFirst() throws {
        let text = String(repeating: "b", count: 300)
        let json = try Fixtures.apns(
            Fixtures.message {
                $0.text = text
                $0.data = JSONText(trusted: "{\"d\":\"\(String(repeating: "z", count: 3700))\"}")
            }
        ).json
        #expect(json["data"] == nil)
        #expect(((json["aps"] as? NSDictionary)?["alert"] as? NSDictionary)?["body"] as? String == text)
        #expect(json["truncated"] as? Bool == true)
    }

    @Test("at every size of data the text keeps 100 characters or the data is removed")
    func denseSweep() throws {
        let text = String(repeating: "b", count: 300)
        var cut = 0
        for dataSize in 2600...3700 {
            let message = Fixtures.message {
                $0.text = text
                $0.data = JSONText(trusted: "{\"d\":\"\(String(repeating: "z", count: dataSize))\"}")
            }
            let request = Fixtures.apns(message)
            #expect(request.body.count <= 4096)
            let json = try request.json
            let alert = (json["aps"] as? NSDictionary)?["alert"] as? NSDictionary
            let shown = try #require(alert?["body"] as? String)
            if json["data"] == nil {
                #expect(shown == text)
            } else if shown != text {
                cut += 1
                #expect(shown.count >= 101)
            }
        }
        // From 300 to 100 characters, less the ellipsis and the mark.
        #expect((170...201).contains(cut))
    }

    @Test("a character is never split, wherever the limit is")
    func wholeCharacters() {
        let characters = ["e\u{301}\u{323}\u{330}", "👩‍👩‍👧‍👦", "漢", "x", "\"", "🇩🇪", "\r\n"]
        var text = ""
        for index in 0..<700 { text += characters[index % characters.count] }
        let whole = Array(text)
        for padding in 0..<40 {
            let request = Fixtures.apns(
                Fixtures.message {
                    $0.text = text
                    $0.agentNickname = String(repeating: "n", count: padding)
                }
            )
            #expect(request.body.count <= 4096)
            let alert = try? (request.json["aps"] as? NSDictionary)?["alert"] as? NSDictionary
            let shown = Array(alert?["body"] as? String ?? "")
            #expect(shown.count > 100)
            #expect(shown.last == "…")
            #expect(Array(shown.dropLast()) == Array(whole.prefix(shown.count - 1)))
        }
    }

    @Test("one character of a megabyte, and members of any size, lead to a bare push with the message id")
    func bare() throws {
        let monster = "a" + String(repeating: "\u{301}", count: 500_000)
        let huge = String(repeating: "\"", count: 3000)
        let wideID = String(repeating: "\"", count: 256)
        let messages = [
            Fixtures.message { $0.text = monster },
            Fixtures.message { $0.title = huge + huge },
            Fixtures.message { $0.link = PlatformLinks(ios: huge + huge, android: huge + huge, web: huge + huge) },
            Fixtures.message {
                $0.conversation = ConversationID(trusted: wideID)
                $0.dialog = huge
                $0.agentID = huge
                $0.category = huge
                $0.sound = huge
                $0.collapseKey = huge
                $0.text = huge
            },
        ]
        for name in ["Acme", String(repeating: "\u{1}", count: 256), huge] {
            for message in messages {
                let brand = Fixtures.brand(name: name)
                let apns = Fixtures.apns(message, brand: brand)
                #expect(apns.body.count <= 4096)
                let alert = try (apns.json["aps"] as? NSDictionary)?["alert"] as? NSDictionary
                #expect(alert?["body"] as? String == "New message")
                #expect(try apns.json["truncated"] as? Bool == true)
                #expect(try apns.json["messageId"] as? String == message.id.description)
                for platform in DevicePlatform.allCases {
                    let fcm = Fixtures.fcm(message, brand: brand, token: "t", platform: platform)
                    #expect(fcm.body.count - 1 <= 4096)
                    let envelope = try #require(try fcm.json["message"] as? NSDictionary)
                    #expect(Self.shown(envelope, on: platform) == "New message")
                    #expect((envelope["data"] as? NSDictionary)?["messageId"] as? String == message.id.description)
                }
            }
        }
    }

    @Test("silent messages drop their data rather than exceed the limit")
    func silent() throws {
        let message = Fixtures.message {
            $0.silent = true
            $0.data = JSONText(trusted: "{\"d\":\"\(String(repeating: "z", count: 5000))\"}")
        }
        let json = try Fixtures.apns(message).json
        #expect(json["aps"] as? NSDictionary == ["content-available": 1])
        #expect(json["truncated"] as? Bool == true)
        #expect(json["data"] == nil)
    }
}
