import GatewayModel
import Testing

@Suite("Transports")
struct TransportTests {
    private static func app(
        _ platform: DevicePlatform = .android,
        apns topic: String? = nil,
        wakesOnRead: Bool = false,
        fcm project: String? = nil
    ) -> AppSettings {
        var apns = topic.map { APNsSettings(teamId: "t", keyId: "k", privateKey: "p", topic: $0) }
        apns?.wakesOnRead = wakesOnRead
        let fcm = project.map {
            FCMSettings(
                serviceAccount: .init(
                    projectId: $0,
                    privateKeyId: "k",
                    privateKey: "p",
                    clientEmail: "e",
                    tokenUri: "https://oauth2.googleapis.com/token"
                )
            )
        }
        return AppSettings(platform: platform, apns: apns, fcm: fcm)
    }

    private static func text(_ length: Int) -> String { String(repeating: "a", count: length) }

    @Test("each push type has its own entry")
    func entries() {
        #expect(PushType.allCases.map(\.transport.pushType) == PushType.allCases)
        let keys = PushType.allCases.map { $0.transport.settings?.key }
        #expect(keys == ["apns", "fcm", "pushProxy", nil])
        #expect(PushType.allCases.map(\.transport.isBuilt) == [true, true, true, false])
    }

    @Test("APNs reaches Apple's devices, FCM those of every platform")
    func platforms() {
        #expect(PushType.apns.transport.platforms == [.ios])
        #expect(PushType.fcm.transport.platforms == DevicePlatform.allCases)
        #expect(PushType.apns.transport.platformRequirement == "must be ios for apns")
        for platform in DevicePlatform.allCases {
            #expect(Self.app(platform).defaultPlatform(for: .apns) == .ios)
            #expect(Self.app(platform).defaultPlatform(for: .fcm) == platform)
        }
    }

    @Test("only APNs has two environments")
    func environments() {
        #expect(PushType.apns.transport.environments == [.production, .sandbox])
        #expect(PushType.apns.transport.environment(.sandbox) == .sandbox)
        for pushType in PushType.allCases where pushType != .apns {
            #expect(pushType.transport.environments == [.production])
            #expect(pushType.transport.environment(.sandbox) == .production)
        }
    }

    @Test("an app has the transports whose settings it has")
    func settings() {
        #expect(Self.app().pushTypes.isEmpty)
        #expect(Self.app(apns: "a").pushTypes == [.apns])
        #expect(Self.app(fcm: "p").pushTypes == [.fcm])
        #expect(Self.app(apns: "a", fcm: "p").pushTypes == [.apns, .fcm])
        #expect(!Self.app(apns: "a").supports(.fcm) && !Self.app(fcm: "p").supports(.apns))
    }

    @Test("a push proxy has the transports of the app's platform, and its change concerns each of them")
    func proxied() {
        let expected: [DevicePlatform: [PushType]] = [
            .ios: [.apns, .fcm], .android: [.fcm, .huawei], .harmony: [.fcm, .huawei], .web: [.fcm],
        ]
        for platform in DevicePlatform.allCases {
            var old = Self.app(platform)
            old.pushProxy = PushProxySettings(url: "https://a.example")
            #expect(old.pushTypes == expected[platform])
            var new = old
            new.pushProxy?.headers = ["Tenant": "a"]
            #expect(old.pushTypes.allSatisfy { $0.transport.settings?.isChanged(old, new) == true })
        }
        #expect(Self.app(.ios).defaultPlatform(for: .huawei) == .harmony)
        #expect(Self.app(.android).defaultPlatform(for: .huawei) == .android)
    }

    @Test("a change of settings concerns the transports that use them")
    func changes() {
        func changed(_ new: AppSettings) -> [PushType] {
            let old = Self.app(apns: "a", fcm: "p")
            return PushType.allCases.filter { $0.transport.settings?.isChanged(old, new) == true }
        }
        #expect(changed(Self.app(apns: "a", fcm: "p")).isEmpty)
        #expect(changed(Self.app(apns: "b", fcm: "p")) == [.apns])
        #expect(changed(Self.app(apns: "a", fcm: "q")) == [.fcm])
        // The app's APNs settings also decide whether FCM wakes its devices.
        #expect(changed(Self.app(apns: "a", wakesOnRead: true, fcm: "p")) == [.apns, .fcm])
    }

    @Test("a token of APNs is an even number of at most 400 hexadecimal digits")
    func hexadecimal() {
        let rule = PushType.apns.transport.tokenRule
        #expect(rule.requirement == "must be an even number of at most 400 hexadecimal digits")
        #expect(rule.normalised("AABBCCddeeff0189") == "aabbccddeeff0189")
        #expect(rule.normalised(Self.text(400)) == Self.text(400))
        for invalid in ["", "a", "abc", "ag", "aG", "a:", "a/", "a@", "a`", "é", Self.text(401), Self.text(402)] {
            #expect(rule.normalised(invalid) == nil, "\(invalid)")
        }
    }

    @Test("other tokens are 1 to 4096 visible ASCII characters", arguments: PushType.allCases.filter { $0 != .apns })
    func visible(_ pushType: PushType) {
        let rule = pushType.transport.tokenRule
        #expect(rule.requirement == "must be 1 to 4096 visible ASCII characters")
        for valid in ["!", "~", "dQw:APA91b-_x", Self.text(4096)] { #expect(rule.normalised(valid) == valid) }
        for invalid in ["", "a b", "a\n", "a\u{7F}", "é", Self.text(4097)] {
            #expect(rule.normalised(invalid) == nil, "\(invalid)")
        }
    }
}
