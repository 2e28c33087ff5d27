import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Speaks the HTTP API of a gateway.
struct APIClient: Sendable {
    /// `http://host:port`, without a slash at its end.
    var server: String
    /// The value of `Authorization`: secret.
    var authorization: String?

    /// One for the process, never shut down; a gateway that is not there is an answer at once, not after retries.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }()

    /// A client that shows nothing.
    ///
    /// - Parameters:
    ///   - server: `http://host:port`.
    ///   - authorization: The value of `Authorization`.
    init(server: String, authorization: String? = nil) {
        self.server = server
        self.authorization = authorization
    }

    /// A client of an operator or a device.
    ///
    /// - Parameters:
    ///   - server: `http://host:port`.
    ///   - bearer: The admin token or a session token.
    init(server: String, bearer: String) {
        self.init(server: server, authorization: "Bearer \(bearer)")
    }

    /// A client of a back-end.
    ///
    /// - Parameters:
    ///   - server: `http://host:port`.
    ///   - basic: `id:secret` of a service account.
    init(server: String, basic: String) {
        self.init(server: server, authorization: "Basic \(Data(basic.utf8).base64EncodedString())")
    }

    /// An answer of the gateway.
    struct Response {
        /// The HTTP status.
        var status: Int
        /// When to try again, where the gateway says so, in whole seconds.
        var retryAfter: Int?
        /// The body; null when there is none.
        var body: JSONValue
    }

    /// One call.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    ///   - path: Its segments, as they are: they are percent-encoded here, once.
    ///   - query: Names and values; nil values are left out.
    ///   - body: A JSON body.
    /// - Returns: The answer, when its status is 2xx.
    /// - Throws: ``CommandFailure`` with the problem's own words.
    func call(
        _ method: String,
        _ path: [String],
        query: [(String, String?)] = [],
        body: JSONValue? = nil
    ) async throws -> Response {
        let response = try await exchange(method, path, query: query, body: body)
        guard (200..<300).contains(response.status) else {
            throw CommandFailure(.failure, Self.problem(response))
        }
        return response
    }

    /// One call, whatever its status.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: Its segments, as they are.
    ///   - query: Names and values; nil values are left out.
    ///   - body: A JSON body.
    /// - Returns: The answer.
    /// - Throws: ``CommandFailure`` when there is no answer.
    func exchange(
        _ method: String,
        _ path: [String],
        query: [(String, String?)] = [],
        body: JSONValue? = nil
    ) async throws -> Response {
        var url = server + path.map { "/" + Self.encoded($0) }.joined()
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        if !pairs.isEmpty { url += "?" + pairs.joined(separator: "&") }
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        request.headers.add(name: "user-agent", value: "switchboard/\(Version.text)")
        if let authorization { request.headers.add(name: "authorization", value: authorization) }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body.text))
        }
        do {
            let response = try await Self.http.execute(request, timeout: .seconds(30))
            let bytes = try await response.body.collect(upTo: 64 << 20)
            let data = Data(bytes.readableBytesView)
            let value =
                data.isEmpty ? .null : (try? JSONValue(parsing: data)) ?? .string(String(decoding: data, as: UTF8.self))
            let retryAfter = response.headers.first(name: "retry-after").flatMap { Int($0) }
            return Response(status: Int(response.status.code), retryAfter: retryAfter, body: value)
        } catch let error as HTTPClientError {
            throw CommandFailure(.failure, "no answer from \(server): \(error.shortDescription)")
        } catch {
            throw CommandFailure(.failure, "no answer from \(server): is the gateway running? (\(error))")
        }
    }

    /// A problem in one line (RFC 9457).
    ///
    /// - Parameter response: An answer that is not 2xx.
    /// - Returns: Status, code, detail and the members that are wrong.
    static func problem(_ response: Response) -> String {
        let body = response.body
        var text = "the gateway answered \(response.status)"
        if let code = body["code"].string { text += " \(code)" }
        if let detail = body["detail"].string ?? body["title"].string { text += ": \(detail)" }
        for error in body["errors"].items {
            text += "\n  \(error["pointer"].plain) \(error["detail"].plain)"
        }
        if let id = body["requestId"].string { text += " (request \(id))" }
        return text
    }

    /// Percent-encodes everything but RFC 3986's unreserved characters.
    ///
    /// - Parameter text: One path segment or query value.
    /// - Returns: What stands in the URL.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }.joined()
    }
}
