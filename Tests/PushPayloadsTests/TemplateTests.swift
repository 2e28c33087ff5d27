import Foundation
import GatewayModel
import PushPayloads
import Testing

@Suite("A brand's templates")
struct TemplateTests {
    private typealias Words = TemplateSettings.Words

    private static func brand(
        _ kinds: [TemplateSettings.Kind: [String: TemplateSettings.Words]],
        preview: BrandSettings.Preview = .full
    ) -> Brand {
        var brand = Fixtures.brand(preview: preview)
        brand.settings.templates = TemplateSettings(kinds: kinds)
        return brand
    }

    private func words(_ brand: Brand, _ message: Message, locale: String? = nil) -> BrandRendering.Words {
        var job = Fixtures.job(message)
        job.locale = locale
        return BrandRendering(brand: brand).words(of: message, for: job)
    }

    @Test("every value is inserted without escapes")
    func values() {
        let all = "{{agent}}|{{brand}}|{{text}}|{{&title}}|{{{unread}}}|{{ conversation }}|{{count}}"
        let message = Fixtures.message {
            $0.text = #"<b>"5 & 6"</b> {{brand}}"#
            $0.title = "It's <here>"
        }
        let words = words(Self.brand([.agent: ["default": Words(title: "{{agent}} & {{brand}}", body: all)]]), message)
        #expect(words.title == "Dana & Acme")
        #expect(words.text == #"Dana|Acme|<b>"5 & 6"</b> {{brand}}|It's <here>|3|c-9|"#)
    }

    @Test("sections depend on whether there is such a value")
    func sections() {
        let text = "{{#title}}T {{title}}: {{text}}{{/title}}{{^title}}none{{! not shown }}{{/title}}"
        let brand = Self.brand([.agent: ["default": Words(body: text)]])
        #expect(words(brand, Fixtures.message()).text == "none")
        #expect(words(brand, Fixtures.message { $0.title = "<A>" }).text == "T <A>: Your order has shipped")
    }

    @Test(
        "templates: of the exact locale, then of its language, then of all, then the built-in texts",
        arguments: [
            ("de-AT", "Servus", "deutsch"), ("de_at", "Servus", "deutsch"), ("DE", "deutsch", "deutsch"),
            ("de-CH-1996", "deutsch", "deutsch"), ("zh-Hant-TW", "繁", "any"), ("zh", "any", "any"),
            ("fr", "any", "any"),
            ("", "any", "any"), ("-", "any", "any"),
        ]
    )
    func fallback(locale: String, title: String, body: String) {
        let brand = Self.brand([
            .agent: [
                "de-AT": Words(title: "Servus"), "de": Words(title: "deutsch", body: "deutsch"),
                "zh-hant": Words(title: "繁"), "default": Words(title: "any", body: "any"),
            ]
        ])
        let words = words(brand, Fixtures.message(), locale: locale)
        #expect(words.title == title)
        #expect(words.text == body)
    }

    @Test("a kind without a template, a missing part and an empty result keep the built-in texts")
    func builtIn() {
        let brand = Self.brand([
            .agent: ["de": Words(title: "x"), "fr": Words(title: "{{#title}}{{title}}{{/title}} ")]
        ])
        let plain = words(Fixtures.brand(), Fixtures.message())
        #expect(plain.title == "Dana" && plain.text == "Your order has shipped")
        #expect(words(brand, Fixtures.message(), locale: "en") == plain)
        #expect(words(brand, Fixtures.message(), locale: nil) == plain)
        #expect(words(brand, Fixtures.message(), locale: "fr") == plain)
        let own = words(brand, Fixtures.message(), locale: "de")
        #expect(own.title == "x" && own.text == plain.text)
        let proactive = Fixtures.message { $0.kind = .proactive }
        #expect(proactive.kind == .proactive)
        #expect(words(brand, proactive, locale: "de") == plain)
    }

    @Test("no template reveals what the preview hides", arguments: [BrandSettings.Preview.sender, .none])
    func preview(_ preview: BrandSettings.Preview) throws {
        let every = "{{agent}}.{{text}}.{{title}}.{{#text}}{{text}}{{/text}}"
        let brand = Self.brand([.agent: ["default": Words(title: every, body: every + "{{unread}}")]], preview: preview)
        let message = Fixtures.message {
            $0.text = "secret text"
            $0.title = "secret title"
        }
        let words = words(brand, message)
        #expect(words.title == (preview == .sender ? "Dana..." : "..."))
        #expect(words.text == (preview == .sender ? "Dana...3" : "...3"))
        for request in [Fixtures.apns(message, brand: brand), Fixtures.fcm(message, brand: brand)] {
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(!body.contains("secret"))
            #expect(preview == .sender || !body.contains("Dana"))
        }
    }

    private func text(_ json: NSDictionary, at path: String) -> String? {
        path.split(separator: ".").reduce(json as Any?) { ($0 as? NSDictionary)?[String($1)] } as? String
    }

    @Test("both providers' pushes use the templates")
    func requests() throws {
        let brand = Self.brand([.agent: ["default": Words(title: "{{brand}}", body: "{{agent}}: {{text}}")]])
        let apns = try Fixtures.apns(Fixtures.message(), brand: brand).json
        #expect(text(apns, at: "aps.alert.title") == "Acme")
        #expect(text(apns, at: "aps.alert.body") == "Dana: Your order has shipped")
        let fcm = try Fixtures.fcm(Fixtures.message(), brand: brand).json
        #expect(text(fcm, at: "message.notification.body") == "Dana: Your order has shipped")
        #expect(text(fcm, at: "message.data.text") == "Dana: Your order has shipped")
        #expect(text(fcm, at: "message.data.title") == "Acme")
        let silent = String(
            decoding: Fixtures.apns(Fixtures.message { $0.silent = true }, brand: brand).body,
            as: UTF8.self
        )
        #expect(!silent.contains("Dana"))
    }

    @Test("a provider's limit holds whatever a template makes of a text", arguments: ["x", "\"", "漢", "👩‍👩‍👧‍👦", "e\u{301}"])
    func limits(character: String) throws {
        let many = String(repeating: "{{text}}", count: WordTemplate.maxBytes / 8)
        for template in [many, "{{text}}{{title}}", "a {{text}}"] {
            let brand = Self.brand([.agent: ["default": Words(title: template, body: template)]])
            for count in [1, 90, 500, 1300, 4000, 20_000] {
                let message = Fixtures.message {
                    $0.text = String(repeating: character, count: count)
                    $0.title = "t" + $0.text
                }
                let apns = Fixtures.apns(message, brand: brand)
                #expect(apns.body.count <= 4096)
                _ = try apns.json
                let fcm = Fixtures.fcm(message, brand: brand, token: "t")
                #expect(fcm.body.count <= 4097)
                _ = try fcm.json
                if count == 20_000 { #expect(try apns.json["truncated"] as? Bool == true) }
            }
        }
    }

    @Test(
        "an invalid template is rejected with its position",
        arguments: [
            ("{{nickname}}", "has a tag that names none of", 1), ("ab {{text", "has a tag without an end", 4),
            ("{{text}", "has a tag without an end", 1), ("{{{text}}", "has a tag without an end", 1),
            ("a{{}}", "has an empty tag", 2), ("{{>other}}", "has a tag that is not supported", 1),
            ("{{<a}}{{/a}}", "has a tag that is not supported", 1), ("{{$text}}{{/text}}", "not supported", 1),
            ("{{=<% %>=}}", "not supported", 1), ("{{% CONTENT_TYPE:HTML}}", "not supported", 1),
            ("{{*text}}", "not supported", 1), ("{{uppercased(text)}}", "has a tag that names none of", 1),
            ("é{{#text}}x", "has a section without an end", 2), ("{{/text}}", "ends a section that is not open", 1),
            ("{{#text}}{{/title}}", "ends a section that is not open", 10), ("{{.}}", "names none of", 1),
            ("{{text.count}}", "names none of", 1), ("{{text}} {{", "has a tag without an end", 10),
            ("{{#text}}{{^title}}{{/text}}{{/title}}", "not open", 20),
        ]
    )
    func faults(_ template: String, _ detail: String, _ place: Int) {
        let fault = #expect(throws: WordTemplate.Fault.self) { try WordTemplate(template) }
        #expect(fault?.detail.contains(detail) == true, "\(fault?.detail ?? "")")
        #expect(fault?.detail.hasSuffix("at character \(place)") == true, "\(fault?.detail ?? "")")
    }

    @Test("a template may have 1,024 bytes, sections as deep as that allows, and braces that are not tags")
    func good() throws {
        let deep = String(repeating: "{{#text}}", count: 50) + "{{brand}}" + String(repeating: "{{/text}}", count: 50)
        for template in ["", "{", "}} { } { }", "{{!{{}}", deep, String(repeating: "é", count: 512)] {
            _ = try WordTemplate(template)
        }
        let fault = #expect(throws: WordTemplate.Fault.self) { try WordTemplate(String(repeating: "é", count: 513)) }
        #expect(fault?.detail == "must be at most 1024 bytes")
        let brand = Self.brand([.agent: ["default": Words(body: deep)]])
        #expect(words(brand, Fixtures.message()).text == "Acme")
        for (template, text) in [("{{brand}} {", "Acme {"), ("} {", "} {"), ("{a} {{brand}}{", "{a} Acme{")] {
            let brand = Self.brand([.agent: ["default": Words(body: template)]])
            #expect(words(brand, Fixtures.message()).text == text)
        }
    }
}
