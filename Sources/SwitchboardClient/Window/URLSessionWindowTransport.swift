#if canImport(Darwin)
import Foundation

/// The window transport over Foundation's `URLSession`: no cookies, no stored credentials, no redirects.
public final class URLSessionWindowTransport: WindowTransport {
    private let session: URLSession
    private let openings = Openings()

    /// Creates a transport with a session of its own.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: openings, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Opens a WebSocket.
    ///
    /// - Parameter request: The request of the upgrade.
    /// - Returns: The open connection.
    /// - Throws: `URLError` without a connection.
    public func open(_ request: HTTPRequest) async throws -> any WindowConnection {
        var components = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
        components?.scheme = request.url.scheme == "http" ? "ws" : "wss"
        guard let url = components?.url else { throw URLError(.badURL) }
        var message = URLRequest(url: url)
        message.timeoutInterval = max((request.timeout / Duration.seconds(1)).rounded(.up), 1)
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        let task = session.webSocketTask(with: message)
        task.maximumMessageSize = WindowClientFrame.maxBytes
        _ = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                openings.start(task, OneOutcome(continuation))
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return URLSessionWindowConnection(task: task)
    }
}

/// A connection over a task of a URL session.
private final class URLSessionWindowConnection: WindowConnection {
    private let task: URLSessionWebSocketTask

    init(task: URLSessionWebSocketTask) { self.task = task }

    deinit { task.cancel(with: .goingAway, reason: nil) }

    func send(_ text: String) {
        let task = task
        task.send(.string(text)) { error in
            // The reader gets the error of the connection.
            if error != nil { task.cancel(with: .goingAway, reason: nil) }
        }
    }

    func receive() async throws -> WindowInput {
        do {
            switch try await task.receive() {
            case .string(let text): return .text(text)
            default: throw URLError(.cannotParseResponse)
            }
        } catch {
            let end = WindowInput(closeCode: task.closeCode.rawValue, reason: task.closeReason)
            guard let end else { throw error }
            return end
        }
    }

    func ping() async throws {
        _ = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
            // The handler may be dropped with the task, or called twice.
            let outcome = OneOutcome(continuation)
            task.sendPing { error in
                if let error { outcome.resume(.failure(error)) } else { outcome.resume(.success(true)) }
            }
        }
    }

    func close() { task.cancel(with: .normalClosure, reason: nil) }
}

/// The upgrades of a session that run, and the events of them.
private final class Openings: NSObject, URLSessionWebSocketDelegate, Sendable {
    private let running = Locked<[Int: OneOutcome<Bool>]>([:])

    /// Registers an upgrade before it is sent.
    func start(_ task: URLSessionTask, _ outcome: OneOutcome<Bool>) {
        running.withLock { $0[task.taskIdentifier] = outcome }
    }

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        running.withLock { $0.removeValue(forKey: webSocketTask.taskIdentifier) }?.resume(.success(true))
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

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?
            .resume(.failure(error ?? URLError(.cannotConnectToHost)))
    }
}
#endif
