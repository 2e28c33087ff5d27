import Testing

@testable import GatewayModel

@Suite("Links of events")
struct LinkChoiceTests {
    private static let links = LinkSettings(host: "go.example.com", paths: ["/chat/*", "/?/x"])

    @Test(
        "paths are matched by patterns",
        arguments: [
            ("/chat/", true), ("/chat/1/2", true), ("/chat", false), ("/Chat/1", false), ("/a/x", true),
            ("/ab/x", false),
            ("/", false), ("", false), ("/chat/*", true),
        ]
    )
    func paths(path: String, opened: Bool) {
        #expect(Self.links.opens(path) == opened)
    }

    @Test("a path longer than any link is matched by no pattern")
    func longPath() {
        let most = "/chat/" + String(repeating: "x", count: LinkSettings.maxPathBytes - 6)
        #expect(Self.links.opens(most) && !Self.links.opens(most + "x"))
    }

    @Test(
        "only https links of the host and its paths are covered by the association",
        arguments: [
            ("https://go.example.com/chat/1", true), ("HTTPS://GO.example.com/chat/1?x#y", true),
            ("https://go.example.com.evil.example/chat/1", false),
            ("https://go.example.com@evil.example/chat/1", false),
            ("https://go.example.com:444/chat/1", false), ("http://go.example.com/chat/1", false),
            ("https://go.example.com:443/chat/1", true), ("https://go.example.com:443:443/chat/1", false),
            ("https://go.example.com:/chat/1", false), ("https:///chat/1", false),
            ("https:\u{0F}/go.example.com/chat/1", false),
            ("https://go.example.com/chat/\u{301}\u{316}", true), ("https://go.example.com\u{301}/chat/1", false),
            ("https://go.example.com", false), ("app://go.example.com/chat/1", false),
        ]
    )
    func vouching(link: String, vouched: Bool) {
        #expect(Self.links.vouches(for: link) == vouched)
    }

    @Test(
        "a link with an app's own scheme is replaced by one that the association covers, else it is marked (R126, R128)"
    )
    func choice() {
        let good = "https://go.example.com/chat/1"
        let custom = PlatformLinks(ios: "acme://chat/1", android: "intent:1", web: good)
        #expect(custom.choice(for: .ios, opening: nil)?.text == "acme://chat/1")
        #expect(custom.choice(for: .ios, opening: nil)?.isUnverified == true)
        #expect(custom.choice(for: .android, opening: nil)?.text == "intent:1")
        let preferred = custom.choice(for: .ios, opening: Self.links)
        #expect(preferred?.text == good && preferred?.isUnverified == false)
        let elsewhere = PlatformLinks(ios: "acme://1", web: "https://else.example/chat/1")
        #expect(elsewhere.choice(for: .ios, opening: Self.links)?.text == "acme://1")
        #expect(elsewhere.choice(for: .android, opening: Self.links) == nil)
        for link in ["tel:+491", "mailto:a@b.example", "TEL:1"] {
            #expect(PlatformLinks(ios: link).choice(for: .ios, opening: nil)?.isUnverified == false)
        }
    }

    @Test("R197: an https link that no association covers is unverified too, except in a browser")
    func unverifiedHTTPS() {
        for (link, isUnverified) in [
            ("https://go.example.com/chat/1", false), ("HTTPS://go.example.com/chat/1", false),
            ("https://go.example.com/other", true), ("https://else.example/chat/1", true),
        ] {
            let links = PlatformLinks(ios: link, android: link, web: link)
            for platform in [DevicePlatform.ios, .android, .harmony] {
                let choice = links.choice(for: platform, opening: Self.links)
                #expect(choice?.text == link && choice?.isUnverified == isUnverified, "\(link) on \(platform)")
                #expect(links.choice(for: platform, opening: nil)?.isUnverified == true)
            }
            #expect(links.choice(for: .web, opening: nil)?.isUnverified == false)
        }
    }
}
