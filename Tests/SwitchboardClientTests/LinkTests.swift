import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Links")
struct LinkTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("R127: http, https, tel and mailto are links; others only by the custom pattern")
    func schemes() throws {
        let links = try LinkClassifier()
        #expect(links.route("https://a.example/x") == .browser(try url("https://a.example/x")))
        #expect(links.route("HTTP://a.example") == .browser(try url("HTTP://a.example")))
        #expect(links.route("tel:+491234") == .telephone(try url("tel:+491234")))
        let mail = "mailto:a@b.example?subject=hello%20you&cc=c@d.example"
        #expect(links.route(mail) == .mail(try url(mail)))
        for text in ["", "hello", "https://", "https:///x", "tel:", "mailto:", "app://x", "javascript:alert(1)"] {
            #expect(links.route(text) == nil)
        }
        let custom = try LinkClassifier(customPattern: "acme://[a-z]+")
        #expect(custom.route("acme://orders") == .scheme(try url("acme://orders")))
        #expect(custom.route("acme://orders/7") == nil)
        #expect(throws: SwitchboardError.self) { try LinkClassifier(customPattern: "(") }
    }

    @Test("R127: links of structured content go to the callback where the app wants it")
    func callback() throws {
        let links = try LinkClassifier(structuredContentLinkAsCallback: true)
        #expect(links.route("https://a.example", isStructuredContent: true) == .callback(try url("https://a.example")))
        #expect(links.route("https://a.example") == .browser(try url("https://a.example")))
        #expect(links.route("nothing", isStructuredContent: true) == nil)
    }

    @Test("trap 30: an https link of the app's own host goes to the callback")
    func ownHost() throws {
        let links = try LinkClassifier(ownHosts: ["Go.Example"])
        #expect(links.route("https://go.example/chat/1") == .callback(try url("https://go.example/chat/1")))
        #expect(links.route("http://go.example/chat/1") == .browser(try url("http://go.example/chat/1")))
    }

    @Test("R128 R197: a push says whether any app may claim its link")
    func unverified() throws {
        let client = Fixture().client
        let json = #"{"brandId":"acme","messageId":"m","text":"x","link":"acme://x","linkUnverified":true}"#
        #expect(try #require(client.parse(PushPayload(json: Data(json.utf8)))).isLinkUnverified)
        let map = ["brandId": "acme", "messageId": "m", "link": "https://x.example", "linkUnverified": "true"]
        #expect(try #require(client.parse(PushPayload(data: map))).isLinkUnverified)
        #expect(try #require(client.parse(PushPayload(data: ["brandId": "acme"]))).isLinkUnverified == false)
    }
}
