import GatewayModel
import Testing

@Suite("The setter of an app's endpoints")
struct EndpointSetterTests {
    private static func app(
        production: String? = nil,
        sandbox: String? = nil,
        fcm: String? = nil,
        token: String = "https://oauth2.googleapis.com/token",
        by setter: AppSettings.EndpointSetter? = nil
    ) -> AppSettings {
        var app = AppSettings(
            platform: .android,
            apns: APNsSettings(
                teamId: "t",
                keyId: "k",
                privateKey: "p",
                topic: "a",
                endpoints: .init(production: production, sandbox: sandbox)
            ),
            fcm: FCMSettings(
                serviceAccount: .init(
                    projectId: "p",
                    privateKeyId: "k",
                    privateKey: "p",
                    clientEmail: "e",
                    tokenUri: token
                ),
                endpoint: fcm
            )
        )
        app.endpointsBy = setter
        return app
    }

    @Test("a new app's endpoints belong to the caller that creates it")
    func new() {
        #expect(Self.app().endpointSetter(for: .admin, replacing: nil) == .admin)
        #expect(Self.app().endpointSetter(for: .tenant, replacing: nil) == .tenant)
    }

    @Test(
        "a tenant that changes other members keeps the setter; without a stored one it is the administrator"
    )
    func kept() {
        let cases: [(AppSettings.EndpointSetter?, AppSettings.EndpointSetter)] = [
            (nil, .admin), (.admin, .admin), (.tenant, .tenant),
        ]
        for (stored, kept) in cases {
            let old = Self.app(production: "https://a:1", fcm: "https://b:2", by: stored)
            var new = Self.app(production: "https://a:1", fcm: "https://b:2")
            new.fcm?.serviceAccount.privateKey = "another"
            new.fcm?.style = .data
            new.apns?.topic = "another"
            #expect(new.endpointSetter(for: .tenant, replacing: old) == kept)
        }
    }

    @Test(
        "a tenant that changes, adds or removes an endpoint becomes the setter; the administrator always does",
        arguments: [
            app(production: "https://a:2", fcm: "https://b:2"), app(production: "https://a:1"),
            app(production: "https://a:1", fcm: "https://b:2", token: "https://oauth2.googleapis.com/Token"),
            app(sandbox: "https://a:1", fcm: "https://b:2"), app(production: "https://A:1", fcm: "https://b:2"),
            app(production: "https://a:1", sandbox: "https://a:1", fcm: "https://b:2"), app(),
        ]
    )
    func changed(new: AppSettings) {
        for setter in [AppSettings.EndpointSetter.admin, .tenant] {
            let old = Self.app(production: "https://a:1", fcm: "https://b:2", by: setter)
            #expect(new.endpointSetter(for: .tenant, replacing: old) == .tenant)
            #expect(new.endpointSetter(for: .admin, replacing: old) == .admin)
            #expect(old.endpointSetter(for: .admin, replacing: old) == .admin)
        }
    }
}
