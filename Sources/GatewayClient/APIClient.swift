import Foundation
import HTTPTransfers
import TextFormats

/// A client of a gateway's HTTP API.
package struct APIClient: Sendable {
    /// `http://host:port`, without a trailing slash.
    package let server: String
    /// The value of `Authorization`: secret; nil without credentials.
    package let authorization: String?

    /// Shared by the process, never closed.
    static let http = TransferClient()

    private static let maxBodyBytes = 64 << 20

    /// A client without credentials, or with a given `Authorization` header.
    package init(server: String, authorization: String? = nil) {
        self.server = server
        self.authorization = authorization
    }

    /// A client of `http://host:port` with a bearer token, for an operator or a device.
    package init(server: String, bearer: String) {
        self.init(server: server, authorization: "Bearer \(bearer)")
    }

    /// A client of `http://host:port` with basic authentication, for a back-end: `id:secret` of a service account.
    package init(server: String, basic: String) {
        self.init(server: server, authorization: "Basic \(StrictBase64.encode(basic.utf8, .standard))")
    }

    /// A response of the gateway.
    package struct Response: Sendable {
        /// The HTTP status.
        package var status: Int
        /// `Retry-After` in whole seconds; nil without that header.
        package var retryAfter: Int?
        /// `ETag`; nil without that header.
        package var entityTag: String?
        /// `Content-Type`, empty when there is none.
        var contentType = ""
        /// The body; null when there is none.
        package var body: JSONValue
    }

    /// The state of a resource that a request requires (RFC 9110 section 13.1).
    package enum Condition: Sendable {
        /// It has this entity tag: `If-Match`.
        case unchanged(String)
        /// It does not exist: `If-None-Match`.
        case absent
    }

    /// Sends a request and requires a 2xx response; throws ``CommandFailure`` with the text of the problem body.
    ///
    /// The path's segments are percent-encoded here, once. Query values that are nil are left out.
    package func call(
        _ method: String,
        _ path: [String],
        query: [(String, String?)] = [],
        body: JSONValue? = nil
    ) async throws -> Response {
        try checked(try await exchange(method, path, query: query, body: body))
    }

    /// Returns a response if it is from the gateway and its status is 2xx; throws ``CommandFailure`` with the text of
    /// the problem body.
    package func checked(_ response: Response) throws -> Response {
        guard (200..<300).contains(response.status) else { throw rejection(response) }
        guard response.body == .null || response.contentType.contains("json") else {
            throw foreign(response.status, response.contentType)
        }
        return response
    }

    /// Sends a request and returns the response, whatever its status; throws ``CommandFailure`` when there is none.
    ///
    /// NDJSON lines are sent instead of a body. The gateway responds 409 when the `condition` does not hold.
    package func exchange(
        _ method: String,
        _ path: [String],
        query: [(String, String?)] = [],
        body: JSONValue? = nil,
        lines: [UInt8]? = nil,
        condition: Condition? = nil
    ) async throws -> Response {
        var request = request(method, path, query: query)
        (request.timeout, request.idleTimeout) = (.seconds(60), nil)
        switch condition {
        case .unchanged(let tag): request.headers.append(("if-match", tag))
        case .absent: request.headers.append(("if-none-match", "*"))
        case nil: break
        }
        if let lines {
            request.headers.append(("content-type", "application/x-ndjson"))
            request.body = lines
        } else if let body {
            request.headers.append(("content-type", "application/json"))
            request.body = Array(body.text.utf8)
        }
        do {
            return response(try await Self.http.send(request, maxBodyBytes: Self.maxBodyBytes))
        } catch {
            throw CommandFailure(.failure, Self.noResponse(server, error))
        }
    }

    /// Passes the body of a GET's response to `take`, piece by piece; throws ``CommandFailure`` when the gateway returns
    /// an error, or when the body ends early.
    package func download(
        _ path: [String],
        query: [(String, String?)],
        take: ([UInt8]) throws -> Void
    ) async throws {
        do {
            let (head, body) = try await Self.http.stream(request("GET", path, query: query))
            guard head.status == 200 else { throw rejection(try await response(head, body)) }
            for try await chunk in body { try take(chunk) }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.failure, Self.noResponse(server, error))
        }
    }

    /// Makes a request without its body, which times out only when no bytes arrive; path segments are not encoded yet,
    /// query values that are nil are left out.
    func request(_ method: String, _ path: [String], query: [(String, String?)]) -> TransferRequest {
        var url = server + path.map { PercentEncoding.encode($0.utf8, .component, prefix: "/") }.joined()
        let pairs = query.compactMap { name, value in
            value.map { "\(name)=\(PercentEncoding.encode($0.utf8, .component))" }
        }
        if !pairs.isEmpty { url += "?" + pairs.joined(separator: "&") }
        var request = TransferRequest(method, url, timeout: nil)
        request.idleTimeout = EventStreamReader.idleLimit
        request.headers.append(("user-agent", "switchboard/\(Version.text)"))
        if let authorization { request.headers.append(("authorization", authorization)) }
        return request
    }

    /// Reads the rest of a streamed response.
    func response(_ head: TransferResponse, _ body: TransferBody) async throws(TransferFailure) -> Response {
        var head = head
        head.body = try await body.collect(upTo: Self.maxBodyBytes)
        return response(head)
    }

    /// Returns a response with its parsed body; text that is not JSON is a string.
    private func response(_ response: TransferResponse) -> Response {
        let data = Data(response.body)
        let value =
            data.isEmpty ? .null : (try? JSONValue(parsing: data)) ?? .string(String(decoding: data, as: UTF8.self))
        return Response(
            status: response.status,
            retryAfter: response.header("retry-after").flatMap { Int($0) },
            entityTag: response.header("etag"),
            contentType: response.header("content-type") ?? "",
            body: value
        )
    }

    /// Returns in one line why there is no response.
    static func noResponse(_ server: String, _ error: any Error) -> String {
        let reason = (error as? TransferFailure)?.reason
        guard reason == .unreachable || reason == .unresolved else { return "no response from \(server): \(error)" }
        return "no response from \(server): is the gateway running? (\(error))"
    }

    /// Returns the error with which the process ends after a response that is not 2xx.
    func rejection(_ response: Response) -> CommandFailure {
        guard response.body["code"].string != nil else { return foreign(response.status, response.contentType) }
        return CommandFailure(.failure, Self.problem(response))
    }

    /// Returns the error for a response that is not from a gateway: a proxy's error page, another server.
    func foreign(_ status: Int, _ contentType: String) -> CommandFailure {
        let what = contentType.prefix { $0 != ";" }
        return CommandFailure(
            .failure,
            "\(server) responded \(status) with \(what.isEmpty ? "no JSON" : what): not a Switchboard gateway"
        )
    }

    /// Returns a problem body (RFC 9457) as one line, and one more for each invalid member.
    static func problem(_ response: Response) -> String {
        let body = response.body
        var text = "the gateway responded \(response.status)"
        if let code = body["code"].string { text += " \(code)" }
        if let detail = body["detail"].string ?? body["title"].string { text += ": \(detail)" }
        for error in body["errors"].items {
            text += "\n  \(error["pointer"].plain) \(error["detail"].plain)"
        }
        if let id = body["requestId"].string { text += " (request \(id))" }
        return text
    }
}
