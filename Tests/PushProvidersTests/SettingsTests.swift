import Cryptography
import GatewayModel
import PushProviders
import Testing

@Suite struct SettingsTests {
    private static let key = P256.PrivateKey()

    private static func apns(_ change: (inout APNsSettings) -> Void) -> AppSettings {
        var app = TestMessages.apns(key: key, port: 443)
        if var apns = app.apns {
            change(&apns)
            app.apns = apns
        }
        return app
    }

    private static func token(_ change: (inout APNsTokenSettings) -> Void) -> AppSettings {
        apns { settings in
            guard case .token(var token) = settings.authentication else { return }
            change(&token)
            settings.authentication = .token(token)
        }
    }

    private static func fcm(_ change: (inout FCMSettings) -> Void) -> AppSettings {
        var app = TestMessages.fcm(port: 443)
        if var fcm = app.fcm {
            change(&fcm)
            app.fcm = fcm
        }
        return app
    }

    private static func proxy(_ url: String) -> AppSettings {
        var app = AppSettings(platform: .ios)
        app.pushProxy = PushProxySettings(url: url)
        return app
    }

    static let wrong: [(AppSettings, String)] = [
        (token { $0.privateKey = "not a key: hush" }, "/apns/privateKey"),
        (token { $0.privateKey = TestCertificates.p384Key }, "/apns/privateKey"),
        (token { $0.privateKey = TestCertificates.rsaKey }, "/apns/privateKey"),
        (token { $0.privateKey = key.publicKey.pemRepresentation }, "/apns/privateKey"),
        (token { $0.sandboxKey = .init(keyId: "SANDBOX123", privateKey: "hush") }, "/apns/sandboxKey/privateKey"),
        (token { $0.sandboxKey = .init(keyId: "", privateKey: key.pemRepresentation) }, "/apns/sandboxKey/keyId"),
        (token { $0.teamId = "" }, "/apns/teamId"), (token { $0.keyId = "a\"b" }, "/apns/keyId"),
        (apns { $0.topic = "" }, "/apns/topic"), (apns { $0.topic = "com.example\r\nx: y" }, "/apns/topic"),
        (apns { $0.endpoints = .init(production: "http://localhost:1") }, "/apns/endpoints/production"),
        (apns { $0.endpoints = .init(sandbox: "https://user@host") }, "/apns/endpoints/sandbox"),
        (apns { $0.endpoints = .init(sandbox: "https://host:99999") }, "/apns/endpoints/sandbox"),
        (apns { $0.endpoints = .init(sandbox: "https://host/path") }, "/apns/endpoints/sandbox"),
        (apns { $0.endpoints = .init(sandbox: "https://") }, "/apns/endpoints/sandbox"),
        (fcm { $0.serviceAccount.privateKey = "hush" }, "/fcm/serviceAccount/private_key"),
        (
            fcm { $0.serviceAccount.privateKey = TestCertificates.smallRSAKey }, "/fcm/serviceAccount/private_key"
        ),
        (fcm { $0.serviceAccount.privateKey = key.pemRepresentation }, "/fcm/serviceAccount/private_key"),
        (fcm { $0.serviceAccount.projectId = "../x" }, "/fcm/serviceAccount/project_id"),
        (fcm { $0.serviceAccount.clientEmail = "" }, "/fcm/serviceAccount/client_email"),
        (fcm { $0.serviceAccount.tokenUri = "http://example.com/token" }, "/fcm/serviceAccount/token_uri"),
        (fcm { $0.serviceAccount.tokenUri = "token" }, "/fcm/serviceAccount/token_uri"),
        (fcm { $0.endpoint = "localhost:443" }, "/fcm/endpoint"),
        (proxy("http://push.example.com/hush"), "/pushProxy/url"),
        (proxy("https://user:hush@push.example.com"), "/pushProxy/url"), (proxy("hush"), "/pushProxy/url"),
    ]

    @Test("each invalid member is named, and its value is not repeated", arguments: wrong.indices)
    func wrongMember(index: Int) {
        let (app, pointer) = Self.wrong[index]
        let error = #expect(throws: PushCredentialError.self) {
            try PushProviderFactory.validate(app: app, now: TestMessages.now)
        }
        #expect(error?.pointer == pointer)
        let text = error.map { "\($0)" } ?? ""
        #expect(!text.contains("hush"))
        #expect(!text.contains("PRIVATE"))
    }

    @Test(
        "endpoints of any usual form are accepted",
        arguments: ["https://host", "https://host/", "https://host:8443", "HTTPS://127.0.0.1:1", "https://[::1]:2197"]
    )
    func endpoints(text: String) throws {
        try PushProviderFactory.validate(
            app: Self.apns { $0.endpoints = .init(production: text) },
            now: TestMessages.now
        )
        try PushProviderFactory.validate(app: Self.fcm { $0.endpoint = text }, now: TestMessages.now)
    }

    @Test("valid settings pass, with Apple's and Google's hosts by default")
    func good() throws {
        try PushProviderFactory.validate(app: Self.apns { $0.endpoints = nil }, now: TestMessages.now)
        try PushProviderFactory.validate(app: Self.fcm { $0.endpoint = nil }, now: TestMessages.now)
        try PushProviderFactory.validate(
            app: Self.fcm { $0.serviceAccount.tokenUri = "http://127.0.0.1:8080/token" },
            now: TestMessages.now
        )
    }

    @Test("a lane without a credential causes an error that names it", .timeLimit(.minutes(10)))
    func noCredential() async throws {
        try await Harness.factory { factory, _ in
            for type in PushType.allCases {
                let error = #expect(throws: PushCredentialError.self) {
                    _ = try factory.make(
                        lane: TestMessages.lane(type),
                        app: AppSettings(platform: .ios),
                        brand: TestMessages.brand,
                        source: TestSource()
                    )
                }
                // Huawei's devices are reached by a push proxy only.
                #expect(error?.pointer == (type == .huawei ? "/pushProxy" : "/\(type.rawValue)"))
            }
        }
    }
}
