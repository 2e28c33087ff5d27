import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Brands, apps and credentials", .timeLimit(.minutes(10)))
struct AdministrationTests {
    @Test("a brand is created with the defaults, changed in parts, and deleted")
    func brands() async throws {
        try await TestGateway.run { api in
            let made = try await api.call(
                .post,
                "/v1/brands",
                #"{"id":"acme","name":"Acme","settings":{"preview":"none"}}"#
            )
            #expect(made.status == 201)
            #expect(made.headers[.location] == "/v1/brands/acme")
            let settings = try #require(made["settings"])
            #expect(settings["preview"]?.string == "none")
            #expect(settings["presence"]?.string == "consumer")
            #expect(settings["suppressWhileWindowOpen"]?.bool == true)
            #expect(settings["messageTtlSeconds"]?.int == 604_800)
            #expect(settings["retentionDays"]?.int == 30)
            #expect(settings["sessionTtlSeconds"]?.int == 3600)
            #expect(settings["dedupeHours"]?.int == 72)
            #expect(settings["staleDeviceDays"]?.int == 270)
            #expect(settings["anonymousConsumers"]?.bool == false)
            #expect(settings["singleDevice"]?.bool == false)
            try await api.call(.post, "/v1/brands", #"{"id":"acme","name":"Again"}"#).expectProblem(409, "conflict")
            let patched = try await api.call(
                .patch,
                "/v1/brands/acme",
                #"{"name":"New","settings":{"sessionTtlSeconds":60,"preview":null}}"#
            )
            #expect(patched.status == 200)
            #expect(patched["name"]?.string == "New")
            #expect(patched["settings"]?["sessionTtlSeconds"]?.int == 60)
            #expect(patched["settings"]?["preview"]?.string == "full")
            #expect(patched["settings"]?["retentionDays"]?.int == 30)
            let renamed = try await api.call(.patch, "/v1/brands/acme", #"{"name":"Newer"}"#)
            #expect(renamed["settings"]?["sessionTtlSeconds"]?.int == 60)
            #expect(try await api.call(.get, "/v1/brands/acme").text == renamed.text)
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            try await api.call(.get, "/v1/brands/acme").expectProblem(404, "not_found")
            try await api.call(.delete, "/v1/brands/acme").expectProblem(404, "not_found")
        }
    }

    @Test(
        "the response to an invalid brand names the invalid members",
        arguments: [
            (#"{"name":"x"}"#, ["/id"]), (#"{"id":"a"}"#, ["/name"]), (#"{"id":"a b","name":""}"#, ["/id", "/name"]),
            (#"{"id":5,"name":"x"}"#, ["/id"]), (#"{"id":"a","name":"x","settings":[]}"#, ["/settings"]),
            (#"{"id":"a","name":"x","settings":{"preview":"some"}}"#, ["/settings/preview"]),
            (#"{"id":"a","name":"x","settings":{"sessionTtlSeconds":59}}"#, ["/settings/sessionTtlSeconds"]),
            (#"{"id":"a","name":"x","settings":{"singleDevice":"yes"}}"#, ["/settings/singleDevice"]),
            (
                #"{"id":"a","name":"x","settings":{"quietHours":{"from":"22:00"}}}"#,
                ["/settings/quietHours/to", "/settings/quietHours/timeZone"]
            ),
            (
                #"{"id":"a","name":"x","settings":{"quietHours":{"from":"24:00","to":"7:00","timeZone":"Mars/X"}}}"#,
                ["/settings/quietHours/from", "/settings/quietHours/to", "/settings/quietHours/timeZone"]
            ),
            (
                #"{"id":"a","name":"x","settings":{"quietHours":{"from":"07:00","to":"07:00","timeZone":"UTC"}}}"#,
                ["/settings/quietHours/to"]
            ),
            (
                #"{"id":"a","name":"x","settings":{"quietHours":{"mode":"off","till":1},"summaryThreshold":0}}"#,
                ["/settings/quietHours/till", "/settings/quietHours/mode", "/settings/summaryThreshold"]
            ),
            (
                #"{"id":"a","name":"x","settings":{"links":{},"wire":{"ccai":1,"ccaip":true,"liveperson":0}}}"#,
                ["/settings/wire/ccai", "/settings/wire/liveperson", "/settings/wire/ccaip", "/settings/links"]
            ),
            (#"{"id":"a","name":"x","settings":{"wire":true}}"#, ["/settings/wire"]),
            (#"{"id":"a","name":"x","settings":{"wire":{"onesignal":true}}}"#, ["/settings/wire/onesignal"]),
            (#"{"id":"a","name":"x","settings":{"retentiondays":7}}"#, ["/settings/retentiondays"]),
            (#"{"id":"a","name":"x","setings":{}}"#, ["/setings"]),
            (
                #"{"id":7,"settings":{"dedupeHours":0,"preview":1,"presence":"x"}}"#,
                ["/id", "/name", "/settings/preview", "/settings/presence", "/settings/dedupeHours"]
            ),
            (#"{"id":"a","name":"x","settings":{"staleDeviceDays":0}}"#, ["/settings/staleDeviceDays"]),
            (#"{"id":"a","name":"x","settings":{"staleDeviceDays":3651}}"#, ["/settings/staleDeviceDays"]),
        ]
    )
    func badBrands(_ body: String, _ pointers: [String]) async throws {
        try await TestGateway.run { api in
            let reply = try await api.call(.post, "/v1/brands", body)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == pointers)
        }
    }

    @Test("an app's secrets are stored and never returned")
    func apps() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let path = "/v1/brands/acme/apps/ios"
            let again = try await api.call(.put, path, #"{"platform":"ios","apns":\#(API.apns)}"#)
            #expect(again.status == 200)
            let shown = try await api.call(.get, path)
            #expect(shown.text == again.text)
            #expect(shown["apns"]?["topic"]?.string == "com.example.app")
            #expect(shown["apns"]?["privateKey"] == nil)
            #expect(shown["apns"]?["privateKeyFingerprint"]?.string?.isEmpty == false)
            #expect(!shown.text.contains("PRIVATE KEY"))
            let list = try await api.call(.get, "/v1/brands/acme/apps")
            #expect(try list.json()["items"]?.items.compactMap { $0["id"]?.string } == ["ios"])
            #expect(!list.text.contains("PRIVATE KEY"))
            #expect(try await api.call(.delete, path).status == 204)
            try await api.call(.get, path).expectProblem(404, "not_found")
            try await api.call(.delete, path).expectProblem(404, "not_found")
        }
    }

    @Test(
        "the response to an invalid app names the invalid members and never contains the key",
        arguments: [
            (#"{}"#, ["/platform"]), (#"{"platform":"toaster"}"#, ["/platform"]),
            (#"{"platform":"ios","apns":{"teamId":"T"}}"#, ["/apns/keyId", "/apns/privateKey", "/apns/topic"]),
            (#"{"platform":"ios","apns":{"certificate":"SECRET","keyId":"K"}}"#, ["/apns/keyId"]),
            (#"{"platform":"ios","apns":{"certificate":5}}"#, ["/apns/certificate"]),
            (
                #"{"platform":"ios","apns":{"certificate":null,"keyId":"K"}}"#,
                ["/apns/teamId", "/apns/privateKey", "/apns/topic"]
            ),
            (#"{"platform":"ios","huawei":{"clientId":"SECRET"}}"#, ["/huawei"]),
            (#"{"platform":"ios","dialect":"Ujet"}"#, ["/dialect"]),
            (#"{"platform":"ios","dialect":"SECRET"}"#, ["/dialect"]),
            (#"{"platform":"web","webPush":{},"pushProxy":{}}"#, ["/pushProxy/url", "/webPush"]),
            (#"{"platform":"ios","pushProxy":"SECRET"}"#, ["/pushProxy"]),
            (
                #"{"platform":"ios","apns":{},"fcm":{},"dialect":"ujet","pushProxy":{"url":"https://8.8.8.8"}}"#,
                [
                    "/apns/teamId", "/apns/keyId", "/apns/privateKey", "/apns/topic", "/fcm/serviceAccount", "/apns",
                    "/fcm", "/dialect",
                ]
            ),
            (
                #"{"platform":"ios","pushProxy":{"url":"https://8.8.8.8","basic":{"username":"a:b"},"head":{}}}"#,
                ["/pushProxy/head", "/pushProxy/basic/password", "/pushProxy/basic/username"]
            ),
            (
                #"{"platform":"ios","pushProxy":{"url":"https://8.8.8.8","headers":{"Host":"SECRET","X-K":"SECRET"}}}"#,
                ["/pushProxy/headers/Host", "/pushProxy/headers/X-K"]
            ),
            (
                #"{"platform":"ios","pushProxy":{"url":"https://8.8.8.8","headers":{"a":"x","A":"SECRET","B":"é"}}}"#,
                ["/pushProxy/headers/B", "/pushProxy/headers/a"]
            ),
            (
                #"{"platform":"ios","pushProxy":{"url":"https://8.8.8.8","headers":{"K":"SECRET 1","L":""}}}"#,
                ["/pushProxy/headers/K", "/pushProxy/headers/L"]
            ),
            (
                #"{"platform":"ios","pushProxy":{"url":"x","headers":{"a":"","b":"","c":"","d":"","e":""}}}"#,
                ["/pushProxy/headers"]
            ),
            (#"{"platform":"ios","pushProxy":{"url":"https://10.0.0.1/SECRET"}}"#, ["/pushProxy/url"]),
            (#"{"platform":"ios","pushProxy":{"url":"http://push.example.com"}}"#, ["/pushProxy/url"]),
            (
                #"{"platform":"android","fcm":{"serviceAccount":{"project_id":"p","private_key":"SECRET"},"style":1}}"#,
                [
                    "/fcm/style", "/fcm/serviceAccount/private_key_id", "/fcm/serviceAccount/client_email",
                    "/fcm/serviceAccount/token_uri",
                ]
            ),
            (
                #"{"platform":"ios","apns":{"teamId":5,"privateKey":"SECRET","topik":"x"},"dialekt":"x"}"#,
                ["/apns/topik", "/apns/teamId", "/apns/keyId", "/apns/topic", "/dialekt"]
            ),
            (
                #"{"platform":"ios","apns":{"endpoints":{"prod":"x"}}}"#,
                ["/apns/endpoints/prod", "/apns/teamId", "/apns/keyId", "/apns/privateKey", "/apns/topic"]
            ),
        ]
    )
    func badApps(_ body: String, _ pointers: [String]) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reply = try await api.call(.put, "/v1/brands/acme/apps/bad", body)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == pointers)
            #expect(!reply.text.contains("SECRET"))
        }
    }

    @Test("a credential's secret is returned once")
    func credentials() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let path = "/v1/brands/acme/credentials"
            let account = try await api.call(
                .post,
                path,
                #"{"kind":"serviceAccount","name":"crm","scopes":["events:write"],"expiresAt":"2027-01-01T00:00:00Z"}"#
            )
            #expect(account.status == 201)
            #expect(account.headers[.cacheControl] == "no-store")
            let secret = try #require(account["secret"]?.string)
            let imported = String(repeating: "k", count: 32)
            let key = try await api.call(
                .post,
                path,
                #"{"kind":"sdkKey","name":"web","secret":"\#(imported)","app":"ios"}"#
            )
            #expect(key.status == 201)
            #expect(key["secret"]?.string == imported)
            #expect(key["algorithm"]?.string == "HS256")
            let list = try await api.call(.get, path)
            #expect(try list.json()["items"]?.items.count == 2)
            #expect(!list.text.contains(secret))
            #expect(!list.text.contains(imported))
            let taken = try await api.call(.post, path, #"{"kind":"sdkKey","name":"web"}"#)
            taken.expectProblem(409, "conflict")
        }
    }
}
