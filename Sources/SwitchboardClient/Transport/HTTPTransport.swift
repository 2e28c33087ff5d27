public import Foundation

/// The way to the gateway: one HTTP request, one response.
///
/// The library uses ``URLSessionTransport``; an app that pins certificates, or a test, gives its own.
public protocol HTTPTransport: Sendable {
    /// Sends one request, once: the library decides about repetitions.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, whatever its status.
    /// - Throws: Any error when there is no response; the library reports it as `connectivity`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// A request to the gateway.
public struct HTTPRequest: Sendable, Hashable {
    /// The method, such as `PUT`.
    public var method: String
    /// The absolute URL, percent-encoded.
    public var url: URL
    /// The headers; each name occurs once.
    public var headers: [String: String]
    /// The body; nil for none.
    public var body: Data?
    /// The longest time to wait for the response.
    public var timeout: Duration

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The absolute URL.
    ///   - headers: The headers.
    ///   - body: The body.
    ///   - timeout: The longest time to wait for the response.
    public init(
        method: String,
        url: URL,
        headers: [String: String] = [:],
        body: Data? = nil,
        timeout: Duration = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

extension HTTPRequest: CustomStringConvertible {
    /// The method and the address; headers and body hold credentials.
    public var description: String { method + " " + url.absoluteString }
}

/// A response of the gateway.
public struct HTTPResponse: Sendable, Hashable {
    /// The status, such as 201.
    public var status: Int
    /// The body; empty for none.
    public var body: Data
    private let headers: [String: String]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The headers.
    ///   - body: The body.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.body = body
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// Returns the value of a header; the case of its name does not count.
    public func header(_ name: String) -> String? { headers[name.lowercased()] }
}
