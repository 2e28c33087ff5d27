#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The transport over Foundation's `URLSession`: no cookies, no cache, no stored credentials, no redirects.
///
/// Redirects are refused, because the gateway sends none, and the session's token must not follow one to another host.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges = Exchanges()

    /// Creates a transport with a session of its own.
    ///
    /// - Parameter configuration: The configuration of the session; cookies, cache and credentials are switched off in
    ///   a copy of it.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        // The app may use its own for other sessions.
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends one request.
    ///
    /// The timeout is rounded up to whole seconds, and begins again with each part of the response.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, whatever its status.
    /// - Throws: `URLError` without a response; ``SwitchboardError`` with the code `responseTooLarge` for a body of
    ///   more than 16 MiB.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        // Foundation counts whole seconds on Linux, and takes 0 for no time at all.
        message.timeoutInterval = max((request.timeout / Duration.seconds(1)).rounded(.up), 1)
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        message.httpBody = request.body
        let task = session.dataTask(with: message)
        let started = Locked(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchanges.start(task, continuation)
                started.withLock { $0 = true }
                task.resume()
                // The handler below may have run before the end of the task had a receiver.
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            if started.withLock({ $0 }) { task.cancel() }
        }
    }
}

/// The requests of a session that run, and the events of them.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange: Sendable {
        let continuation: CheckedContinuation<HTTPResponse, any Error>
        var body = Data()
    }

    private let running = Locked<[Int: Exchange]>([:])

    /// Registers a request before it is sent.
    func start(_ task: URLSessionTask, _ continuation: CheckedContinuation<HTTPResponse, any Error>) {
        running.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let size = running.withLock { running -> Int in
            running[dataTask.taskIdentifier]?.body.append(data)
            return running[dataTask.taskIdentifier]?.body.count ?? 0
        }
        // The size of the body says why, once the task has ended.
        if size > HTTPResponse.maxBodyBytes { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if exchange.body.count > HTTPResponse.maxBodyBytes {
            exchange.continuation.resume(throwing: HTTPResponse.tooLarge)
        } else if let error {
            exchange.continuation.resume(throwing: error)
        } else if let http = task.response as? HTTPURLResponse {
            var headers: [String: String] = [:]
            for (name, value) in http.allHeaderFields {
                if let name = name as? String, let value = value as? String { headers[name] = value }
            }
            exchange.continuation.resume(
                returning: HTTPResponse(status: http.statusCode, headers: headers, body: exchange.body)
            )
        } else {
            exchange.continuation.resume(
                throwing: SwitchboardError(.malformedResponse, "the response is not one of HTTP")
            )
        }
    }
}
