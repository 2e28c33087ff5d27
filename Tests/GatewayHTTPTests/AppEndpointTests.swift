import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("The owner of an app's endpoints, by REST", .timeLimit(.minutes(10)))
struct AppEndpointTests {
    private static let path = "/v1/brands/acme/apps/ios"

    private static func app(_ endpoint: String?, topic: String = "com.example.app") -> String {
        let endpoints = endpoint.map { #","endpoints":{"production":"\#($0)"}"# } ?? ""
        let apns = API.apns.replacing("com.example.app", with: topic).dropLast() + endpoints + "}"
        return #"{"platform":"ios","apns":\#(apns)}"#
    }

    private static func android(tokenURI: String) -> String {
        #"""
        {"platform":"android","fcm":{"serviceAccount":{"project_id":"p","private_key_id":"k","private_key":"x",
        "client_email":"e","token_uri":"\#(tokenURI)"}}}
        """#
    }

    @Test("endpoints of the administrator stay its own until a tenant changes one, and become its own again")
    func setters() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let tenant = try await api.makeAccount("acme", "brand:admin")
            for (caller, body, setter) in [
                // A private address: the administrator may set it.
                (Credential.admin, Self.app("https://10.0.0.1:443"), "admin"),
                (tenant, Self.app("https://10.0.0.1:443", topic: "com.example.other"), "admin"),
                (tenant, Self.app("https://8.8.8.8:443"), "tenant"),
                (tenant, Self.app("https://8.8.8.8:443"), "tenant"),
                (.admin, Self.app("https://8.8.8.8:443"), "admin"), (tenant, Self.app(nil), "tenant"),
                (.admin, Self.app(nil), "admin"),
            ] {
                let put = try await api.call(.put, Self.path, as: caller, body)
                #expect(put.status == 200, "\(put.text)")
                #expect(put["endpointsBy"]?.string == setter, "\(body)")
                let got = try await api.call(.get, Self.path, as: tenant)
                #expect(got["endpointsBy"]?.string == setter)
            }
            let new = try await api.call(.put, "/v1/brands/acme/apps/new", as: tenant, Self.app(nil))
            #expect(new.status == 201 && new["endpointsBy"]?.string == "tenant")
            // The caller cannot set the owner.
            let reported = Self.app(nil).dropLast() + #","endpointsBy":"admin"}"#
            for caller in [Credential.admin, tenant] {
                let refused = try await api.call(.put, Self.path, as: caller, String(reported))
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == ["/endpointsBy"])
            }
        }
    }

    @Test(
        "a tenant's private address is rejected by its text, and nothing is changed",
        arguments: [
            "https://10.0.0.1:443", "https://169.254.169.254:80", "https://[fd00::1]:443", "https://0.0.0.0:1",
            "https://[::ffff:10.0.0.1]:443",
        ]
    )
    func refused(endpoint: String) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let tenant = try await api.makeAccount("acme", "brand:admin")
            let put = try await api.call(.put, Self.path, as: tenant, Self.app(endpoint))
            put.expectProblem(422, "invalid_request")
            #expect(put.pointers == ["/apns/endpoints/production"])
            #expect(try await api.call(.get, Self.path)["endpointsBy"]?.string == "admin")
            let path = "/v1/brands/acme/apps/android"
            let fcm = try await api.call(.put, path, as: tenant, Self.android(tokenURI: endpoint + "/token"))
            fcm.expectProblem(422, "invalid_request")
            #expect(fcm.pointers == ["/fcm/serviceAccount/token_uri"])
            #expect(try await api.call(.get, path).status == 404)
            // The administrator may.
            #expect(try await api.call(.put, path, Self.android(tokenURI: endpoint + "/token")).status == 201)
            #expect(try await api.call(.put, path, as: tenant, Self.android(tokenURI: endpoint + "/t")).status == 422)
        }
    }
}
