#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The transport over Foundation's `URLSession`: no cookies, no cache, no stored credentials, no redirects.
public struct URLSessionTransport: HTTPTransport {
    private let session: URLSession

    /// Creates a transport with a session of its own.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration)
    }

    /// Creates a transport over a session of the app, as for certificate pinning.
    public init(session: URLSession) { self.session = session }

    /// Sends one request.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.timeoutInterval = TimeInterval(request.timeout.components.seconds)
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        message.httpBody = request.body
        let (body, response) = try await session.data(for: message, delegate: RedirectRefusal())
        guard let http = response as? HTTPURLResponse else {
            throw SwitchboardError(.malformedResponse, "the response is not one of HTTP")
        }
        var headers: [String: String] = [:]
        for (name, value) in http.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        return HTTPResponse(status: http.statusCode, headers: headers, body: body)
    }
}

/// Refuses redirects: the gateway sends none, and the session's token must not follow one to another host.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
