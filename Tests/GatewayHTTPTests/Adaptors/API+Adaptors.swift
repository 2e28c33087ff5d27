import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

extension API {
    static let copilotPath = "/v2/api/management/your_own/auth/generate_user_auth_key"
    static let exchangePath = "/v1/ccaip/auth/token"
    static let signPath = "/api/ccaip/sign"
    static let sdkKeySecret = String(repeating: "k", count: 64)

    /// Creates a brand with the adaptors on, and an SDK key with the brand's name unless another name is given.
    func makeWiredBrand(_ id: String = "acme", _ settings: String = "", keyName: String? = nil) async throws {
        try await makeBrand(id, settings: #"{"wire":{"copilot":true,"ccai":true}\#(settings)}"#)
        try await makeSDKKey(id, name: keyName ?? id)
    }

    /// Creates an SDK key with a known secret; returns its id.
    @discardableResult
    func makeSDKKey(_ brand: String = "acme", name: String, _ more: String = "") async throws -> String {
        let made = try await call(
            .post,
            "/v1/brands/\(brand)/credentials",
            #"{"kind":"sdkKey","name":"\#(name)","secret":"\#(Self.sdkKeySecret)"\#(more)}"#
        )
        try #require(made.status == 201, "\(made.text)")
        return try #require(made["id"]?.string)
    }

    /// Returns claims that are valid for ten minutes, with additional ones.
    func claims(_ more: String = "", age: Int64 = 0) -> String {
        let now = clock.now.seconds - age
        return #"{"iat":\#(now),"exp":\#(now + 600)\#(more)}"#
    }

    /// Returns a token that is signed with an SDK key.
    func token(_ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#, key: String? = nil) -> String {
        TestKeys.assertion(claims, key: key ?? Self.sdkKeySecret, header: header)
    }

    /// Exchanges a token.
    func exchange(_ token: String, keyName: String? = "acme", _ more: String = "") async throws -> Reply {
        try await exchange(body: #"{"token":"\#(token)"\#(more)}"#, keyName: keyName)
    }

    /// Exchanges with a body.
    func exchange(body: String, keyName: String? = "acme", headers: HTTPFields = [:]) async throws -> Reply {
        var headers = headers
        if let keyName { headers[try #require(HTTPField.Name("X-SDK-Key-Name"))] = keyName }
        return try await call(.post, Self.exchangePath, as: .none, body, headers: headers)
    }

    /// Requests a key as a Copilot.cx back-end does.
    func generateKey(as credential: Credential, _ body: String = #"{"user_id":"u-1"}"#) async throws -> Reply {
        try await call(.post, Self.copilotPath, as: credential, body)
    }

    /// Requests the signature of a payload.
    func sign(as credential: Credential, _ payload: String = "{}", query: String = "") async throws -> Reply {
        try await call(.post, Self.signPath + query, as: credential, #"{"payload":\#(payload)}"#)
    }
}
