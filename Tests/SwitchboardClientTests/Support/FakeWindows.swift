import Foundation

@testable import SwitchboardClient

/// A window transport whose connections the test answers.
final class FakeWindows: WindowTransport {
    private struct State: Sendable {
        var connections: [FakeConnection] = []
        var taken = 0
        var failures = 0
        var waiting: CheckedContinuation<FakeConnection, Never>?
    }

    private let state = Locked(State())

    /// The connections so far.
    var connections: [FakeConnection] { state.withLock { $0.connections } }

    /// Fails the next attempts.
    func fail(times: Int) { state.withLock { $0.failures = times } }

    func open(_ request: HTTPRequest) async throws -> any WindowConnection {
        let connection = FakeConnection(request: request)
        let waiting = try state.withLock { state -> CheckedContinuation<FakeConnection, Never>? in
            if state.failures > 0 {
                state.failures -= 1
                throw URLError(.cannotConnectToHost)
            }
            state.connections.append(connection)
            guard let waiting = state.waiting else { return nil }
            state.waiting = nil
            state.taken += 1
            return waiting
        }
        waiting?.resume(returning: connection)
        return connection
    }

    /// Returns the next connection, when it is there.
    func next() async -> FakeConnection {
        await withCheckedContinuation { continuation in
            let connection = state.withLock { state -> FakeConnection? in
                guard state.taken < state.connections.count else {
                    state.waiting = continuation
                    return nil
                }
                defer { state.taken += 1 }
                return state.connections[state.taken]
            }
            if let connection { continuation.resume(returning: connection) }
        }
    }
}

/// A connection of ``FakeWindows``.
final class FakeConnection: WindowConnection {
    private struct State: Sendable {
        var inputs: [WindowInput] = []
        var sent: [JSONValue] = []
        var taken = 0
        var isClosed = false
        var reader: CheckedContinuation<WindowInput, any Error>?
        var waiting: CheckedContinuation<JSONValue, Never>?
    }

    /// The request of the upgrade.
    let request: HTTPRequest
    private let state = Locked(State())

    init(request: HTTPRequest) { self.request = request }

    /// Whether the device has closed it.
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// The token of the request.
    var token: String { String(request.headers["Authorization"]?.dropFirst(7) ?? "") }
    /// The types of the frames so far.
    var types: [String] { state.withLock { $0.sent.map { $0["type"]?.text ?? "" } } }

    /// Sends a frame of the gateway.
    func push(_ frame: JSONValue) { push(.text(String(decoding: frame.data, as: UTF8.self))) }

    func push(_ input: WindowInput) {
        let reader = state.withLock { state -> CheckedContinuation<WindowInput, any Error>? in
            defer { state.reader = nil }
            if state.reader == nil { state.inputs.append(input) }
            return state.reader
        }
        reader?.resume(returning: input)
    }

    /// Returns the next frame of the device, when it is there.
    func next() async -> JSONValue {
        await withCheckedContinuation { continuation in
            let frame = state.withLock { state -> JSONValue? in
                guard state.taken < state.sent.count else {
                    state.waiting = continuation
                    return nil
                }
                defer { state.taken += 1 }
                return state.sent[state.taken]
            }
            if let frame { continuation.resume(returning: frame) }
        }
    }

    func send(_ text: String) {
        let frame = JSONValue(parsing: Data(text.utf8)) ?? .null
        let waiting = state.withLock { state -> CheckedContinuation<JSONValue, Never>? in
            state.sent.append(frame)
            guard let waiting = state.waiting else { return nil }
            state.waiting = nil
            state.taken += 1
            return waiting
        }
        waiting?.resume(returning: frame)
    }

    func receive() async throws -> WindowInput {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<WindowInput, any Error>? in
                if !state.inputs.isEmpty { return .success(state.inputs.removeFirst()) }
                if state.isClosed { return .failure(URLError(.networkConnectionLost)) }
                state.reader = continuation
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    func ping() async throws {}

    func close() { lose() }

    /// Ends the connection without a close frame.
    func lose() {
        let reader = state.withLock { state -> CheckedContinuation<WindowInput, any Error>? in
            defer { state.reader = nil }
            state.isClosed = true
            return state.reader
        }
        reader?.resume(throwing: URLError(.networkConnectionLost))
    }
}
