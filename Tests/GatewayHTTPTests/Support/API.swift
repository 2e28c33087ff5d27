import GRDB
import GatewayModel
import GatewayStorage
import HTTPTypes
import HummingbirdTesting
import Identity
import Messaging
import NIOCore
import TestSupport
import Testing

@testable import GatewayHTTP

/// Calls the gateway on behalf of tests.
struct API: Sendable {
    let client: any TestClientProtocol
    let clock: TestClock
    let outbound: OutboundServices
    /// The canaries, which a test sends itself.
    let canaries: CanaryService
    let directory: Directory
    /// The open windows, and the observer of them.
    let windows: WindowHub
    let presence: TestPresence
    let data: TestGateway.SharedData
    /// All routes as the API description writes them.
    let routes: [String]
    var store: any GatewayStore { data.store }

    /// The content of each table, as text.
    func dump() async throws -> [String: String] {
        var configuration = Configuration()
        configuration.readonly = true
        return try await DatabaseQueue(path: data.database, configuration: configuration).read { db in
            let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            return try Dictionary(
                uniqueKeysWithValues: tables.filter { !$0.hasPrefix("sqlite_") }.map { table in
                    (table, try Row.fetchAll(db, sql: "SELECT * FROM \(table)").description)
                }
            )
        }
    }

    /// Changes the database directly, without the gateway.
    func execute(_ sql: String) async throws {
        try await DatabaseQueue(path: data.database).write { db in try db.execute(sql: sql) }
    }

    func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        as credential: Credential = .admin,
        _ body: String? = nil,
        type: String? = "application/json",
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        try await call(method, path, as: credential, bytes: body.map { Array($0.utf8) }, type: type, headers: headers)
    }

    func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        as credential: Credential = .admin,
        bytes: [UInt8]?,
        type: String? = "application/json",
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = headers
        headers[.authorization] = credential.header
        if bytes != nil { headers[.contentType] = type }
        return try await client.execute(
            uri: path,
            method: method,
            headers: headers,
            body: bytes.map { ByteBuffer(bytes: $0) }
        ) { Reply($0) }
    }

    // MARK: Common set-up

    static let apns =
        #"{"teamId":"TEAM123456","keyId":"KEY1234567","privateKey":"\#(TestKeys.p8)","topic":"com.example.app"}"#

    /// Creates a brand with an app for APNs.
    func makeBrand(_ id: String = "acme", settings: String = "{}") async throws {
        let made = try await call(.post, "/v1/brands", #"{"id":"\#(id)","name":"Acme","settings":\#(settings)}"#)
        try #require(made.status == 201, "\(made.text)")
        let app = try await call(.put, "/v1/brands/\(id)/apps/ios", #"{"platform":"ios","apns":\#(Self.apns)}"#)
        try #require(app.status == 201, "\(app.text)")
    }

    /// Creates a back-end's credential.
    func makeAccount(_ brand: String = "acme", _ scopes: String...) async throws -> Credential {
        let list = scopes.map { "\"\($0)\"" }.joined(separator: ",")
        let made = try await call(
            .post,
            "/v1/brands/\(brand)/credentials",
            #"{"kind":"serviceAccount","name":"test","scopes":[\#(list)]}"#
        )
        try #require(made.status == 201, "\(made.text)")
        return .basic(try #require(made["id"]?.string), try #require(made["secret"]?.string))
    }

    /// Opens a consumer's session.
    func makeSession(
        _ consumer: String = "u-1",
        device: String? = nil,
        brand: String = "acme"
    ) async throws -> Credential {
        let made = try await call(
            .post,
            "/v1/brands/\(brand)/consumers/\(consumer)/sessions",
            device.map { #"{"deviceId":"\#($0)"}"# } ?? "{}"
        )
        try #require(made.status == 201, "\(made.text)")
        return .bearer(try #require(made["sessionToken"]?.string))
    }

    /// Posts one agent message.
    @discardableResult
    func post(
        _ id: String,
        consumer: String = "u-1",
        conversation: String = "c-1",
        more: String = "",
        type: String = "agent.message",
        brand: String = "acme"
    ) async throws -> JSON {
        let made = try await call(
            .post,
            "/v1/brands/\(brand)/events",
            """
            {"id":"\(id)","type":"\(type)","consumer":"\(consumer)","conversation":"\(conversation)","text":"hello"\(more)}
            """
        )
        try #require(made.status == 202, "\(made.text)")
        return try #require(try made.json()["results"]?[0])
    }

    /// Registers a device.
    func register(
        _ device: String,
        as credential: Credential,
        token: String = "aabbccdd",
        more: String = ""
    ) async throws -> Reply {
        try await call(
            .put,
            "/v1/brands/acme/apps/ios/devices/\(device)",
            as: credential,
            #"{"token":"\#(token)","pushType":"apns"\#(more)}"#
        )
    }
}
