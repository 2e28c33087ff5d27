import HTTPTypes
import Testing

@testable import GatewayHTTP

/// An operator who is signed in.
struct SignedIn: Sendable {
    /// The name and the value of the cookie.
    var cookie: String
    /// The token of changes.
    var csrf: String

    /// The header fields of a request that may change something.
    var headers: HTTPFields { [.cookie: cookie, .xCSRFToken: csrf] }
}

extension API {
    static let password = "correct horse battery"

    /// Creates an operator's account with roles such as `support@acme`, or `viewer` for the instance.
    func makeOperator(_ name: String, _ roles: String...) async throws {
        let list = roles.map { role in
            let parts = role.split(separator: "@")
            return #"{"role":"\#(parts[0])","brand":\#(parts.count == 2 ? "\"\(parts[1])\"" : "null")}"#
        }
        let made = try await call(
            .post,
            "/v1/operators",
            #"{"name":"\#(name)","password":"\#(Self.password)","roles":[\#(list.joined(separator: ","))]}"#
        )
        try #require(made.status == 201, "\(made.text)")
    }

    /// Sends a name and a password.
    func trySigningIn(
        _ name: String,
        _ password: String = API.password,
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        try await call(
            .post,
            "/v1/operators/session",
            as: .none,
            #"{"name":"\#(name)","password":"\#(password)"}"#,
            headers: headers
        )
    }

    /// Signs an operator in from this host; over a socket.
    func signIn(_ name: String) async throws -> SignedIn {
        let reply = try await trySigningIn(name)
        try #require(reply.status == 201, "\(reply.text)")
        let cookie = try #require(reply.headers[.setCookie]?.split(separator: ";").first)
        return SignedIn(cookie: String(cookie), csrf: try #require(reply["csrfToken"]?.string))
    }

    /// Sends a request of an operator's page.
    func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        of page: SignedIn,
        _ body: String? = nil
    ) async throws -> Reply {
        try await call(method, path, as: .none, body, headers: page.headers)
    }
}
