import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

extension API {
    /// Creates an API key, and returns it as Bloomreach's SDK sends it.
    func makeAPIKey(_ brand: String = "acme") async throws -> Credential {
        let made = try await call(.post, "/v1/brands/\(brand)/credentials", #"{"kind":"apiKey","name":"app"}"#)
        try #require(made.status == 201, "\(made.text)")
        return .raw("Token \(try #require(made["secret"]?.string))")
    }

    /// Creates a key of customer tokens; returns its id.
    func makeCustomerTokenKey(_ brand: String = "acme", secret: String = API.sdkKeySecret) async throws -> String {
        let made = try await call(
            .post,
            "/v1/brands/\(brand)/credentials",
            #"{"kind":"customerTokenKey","name":"app","secret":"\#(secret)"}"#
        )
        try #require(made.status == 201, "\(made.text)")
        return try #require(made["id"]?.string)
    }
}

/// A brand with the adaptor on, and the calls of Bloomreach's SDK.
struct BloomreachFixture: Sendable {
    static let customer = #"{"registered":"u-1","cookie":"cookie-1"}"#

    let api: API
    let key: Credential

    /// Runs a test against a brand with one consent category.
    static func with(
        _ settings: String = "",
        _ test: @escaping @Sendable (BloomreachFixture) async throws -> Void
    ) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand(
                settings: """
                    {"wire":{"bloomreach":true},"consentCategories":[{"id":"newsletter","translations":\
                    {"en":{"name":"News"}}},{"id":"service","legitimateInterest":true}]\(settings)}
                    """
            )
            try await test(BloomreachFixture(api: api, key: try await api.makeAPIKey()))
        }
    }

    func post(_ path: String, _ body: String, as credential: Credential? = nil) async throws -> Reply {
        try await api.call(.post, path, as: credential ?? key, body)
    }

    func customers(_ ids: String = customer, _ properties: String = "{}") async throws -> Reply {
        try await post("/track/v2/projects/acme/customers", #"{"customer_ids":\#(ids),"properties":\#(properties)}"#)
    }

    func event(_ type: String, _ properties: String = "{}", of ids: String = customer) async throws -> Reply {
        try await post(
            "/track/v2/projects/acme/customers/events",
            #"{"customer_ids":\#(ids),"event_type":"\#(type)","properties":\#(properties)}"#
        )
    }

    func fetch(
        _ ids: String = customer,
        token: String? = nil,
        as credential: Credential? = nil
    ) async throws -> Reply {
        let more = token.map { #","sync_token":"\#($0)""# } ?? ""
        return try await post(
            "/webxp/projects/acme/appinbox/fetch",
            #"{"customer_ids":\#(ids)\#(more),"application_id":"default-application"}"#,
            as: credential
        )
    }

    func mark(
        _ items: String,
        _ ids: String = customer,
        token: String? = nil,
        as credential: Credential? = nil
    ) async throws -> Reply {
        let more = token.map { #","sync_token":"\#($0)""# } ?? ""
        return try await post(
            "/webxp/projects/acme/appinbox/markasread",
            #"{"customer_ids":\#(ids),"message_ids":\#(items)\#(more)}"#,
            as: credential
        )
    }

    func put(_ item: String, of consumer: String = "u-1", _ more: String = "") async throws -> Reply {
        try await api.call(
            .put,
            "/v1/brands/acme/consumers/\(consumer)/inbox/\(item)",
            #"{"type":"html","content":{"title":"\#(item)"}\#(more)}"#
        )
    }

    /// Returns a customer token that the brand's own back-end signed.
    func token(
        _ subject: String,
        _ keyID: String,
        lifetime: Int64 = 600,
        key: String = API.sdkKeySecret
    ) -> Credential {
        let claims = #"{"sub":\#(subject),"exp":\#(api.clock.now.seconds + lifetime)}"#
        let header = #"{"alg":"HS256","typ":"JWT","kid":"\#(keyID)"}"#
        return .bearer(TestKeys.assertion(claims, key: key, header: header))
    }

    /// The items of the outbound feed.
    func feed() async throws -> [JSON] {
        try await api.call(.get, "/v1/brands/acme/outbound/reader")["items"]?.items ?? []
    }
}

extension Reply {
    /// Checks that it is an error in Bloomreach's format.
    func expectBloomreach(
        _ status: Int,
        _ code: String,
        _ reason: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == status, "\(text)", sourceLocation: location)
        #expect(self["success"]?.bool == false, "\(text)", sourceLocation: location)
        #expect(self["error"] != nil || self["errors"] != nil, "\(text)", sourceLocation: location)
        #expect(self["code"]?.string == code, "\(text)", sourceLocation: location)
        #expect(self["reason"]?.string == reason, "\(text)", sourceLocation: location)
        #expect(headers[.contentType] == "application/json", sourceLocation: location)
        if status == 401 { #expect(headers[.wwwAuthenticate] != nil, sourceLocation: location) }
    }
}
