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

    /// The same for streams, which are broken off only when nothing comes.
    static let streaming: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout = .init(connect: .seconds(10), read: EventStreamReader.idleLimit)
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
        /// `Content-Type`, empty when there is none.
        var contentType = ""
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
        try checked(try await exchange(method, path, query: query, body: body))
    }

    /// An answer that is the gateway's and is 2xx.
    ///
    /// - Parameter response: Any answer.
    /// - Returns: The same.
    /// - Throws: ``CommandFailure`` with the problem's own words.
    func checked(_ response: Response) throws -> Response {
        guard (200..<300).contains(response.status) else { throw refusal(response) }
        guard response.body == .null || response.contentType.contains("json") else {
            throw foreign(response.status, response.contentType)
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
    ///   - lines: Lines of JSON in place of a body.
    /// - Returns: The answer.
    /// - Throws: ``CommandFailure`` when there is no answer.
    func exchange(
        _ method: String,
        _ path: [String],
        query: [(String, String?)] = [],
        body: JSONValue? = nil,
        lines: ByteBuffer? = nil
    ) async throws -> Response {
        var request = request(method, path, query: query)
        if let lines {
            request.headers.add(name: "content-type", value: "application/x-ndjson")
            request.body = .bytes(lines)
        } else if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body.text))
        }
        do {
            return try await collect(try await Self.http.execute(request, timeout: .seconds(60)))
        } catch {
            throw CommandFailure(.failure, Self.noAnswer(server, error))
        }
    }

    /// A request without its body.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: Its segments, as they are.
    ///   - query: Names and values; nil values are left out.
    /// - Returns: The request.
    func request(_ method: String, _ path: [String], query: [(String, String?)]) -> HTTPClientRequest {
        var url = server + path.map { "/" + Self.encoded($0) }.joined()
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        if !pairs.isEmpty { url += "?" + pairs.joined(separator: "&") }
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        request.headers.add(name: "user-agent", value: "switchboard/\(Version.text)")
        if let authorization { request.headers.add(name: "authorization", value: authorization) }
        return request
    }

    /// Collects an answer.
    ///
    /// - Parameter response: The answer.
    /// - Returns: The same with its body; text that is not JSON is a string.
    /// - Throws: What the connection throws.
    func collect(_ response: HTTPClientResponse) async throws -> Response {
        let bytes = try await response.body.collect(upTo: 64 << 20)
        let data = Data(bytes.readableBytesView)
        let value =
            data.isEmpty ? .null : (try? JSONValue(parsing: data)) ?? .string(String(decoding: data, as: UTF8.self))
        return Response(
            status: Int(response.status.code),
            retryAfter: response.headers.first(name: "retry-after").flatMap { Int($0) },
            contentType: response.headers.first(name: "content-type") ?? "",
            body: value
        )
    }

    /// Why there is no answer, in one line.
    ///
    /// - Parameters:
    ///   - server: Who was asked.
    ///   - error: What came instead.
    /// - Returns: The line.
    static func noAnswer(_ server: String, _ error: any Error) -> String {
        if let error = error as? HTTPClientError { return "no answer from \(server): \(error.shortDescription)" }
        return "no answer from \(server): is the gateway running? (\(error))"
    }

    /// What an answer that is not 2xx means for the process.
    ///
    /// - Parameter response: The answer.
    /// - Returns: The failure.
    func refusal(_ response: Response) -> CommandFailure {
        guard response.body["code"].string != nil else { return foreign(response.status, response.contentType) }
        return CommandFailure(.failure, Self.problem(response))
    }

    /// What an answer that is no gateway's means: a proxy's page, another server.
    ///
    /// - Parameters:
    ///   - status: Its status.
    ///   - contentType: What it is said to be.
    /// - Returns: The failure.
    func foreign(_ status: Int, _ contentType: String) -> CommandFailure {
        let what = contentType.prefix { $0 != ";" }
        return CommandFailure(
            .failure,
            "\(server) answered \(status) with \(what.isEmpty ? "no JSON" : what): that is not a Switchboard gateway"
        )
    }

    /// A problem in one line (RFC 9457), and one for each member that is wrong.
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
