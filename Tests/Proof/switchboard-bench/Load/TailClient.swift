import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import ProcessHarness
import Synchronization

/// A client of the brand's live tail, which takes everything as it arrives and keeps only the number of deliveries.
final class TailClient: Sendable {
    private struct State {
        var deliveries = 0
        var isLineStart = true
        var hasEnded = false
    }

    private let state = Mutex(State())

    private init() {}

    /// The number of deliveries so far.
    var deliveries: Int { state.withLock { $0.deliveries } }

    /// Opens the tail, which begins with the next delivery that finishes, runs some work, and closes it.
    ///
    /// - Parameters:
    ///   - installation: The installation.
    ///   - http: An HTTP client.
    ///   - authorization: The value of `authorization`.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: ``HarnessError`` when the gateway does not open it, or the error of the work.
    static func use<Value: Sendable>(
        _ installation: Installation,
        http: HTTPClient,
        authorization: String,
        _ work: (TailClient) async throws -> Value
    ) async throws -> Value {
        let path = "/v1/brands/\(Installation.brand)/deliveries/tail"
        var request = HTTPClientRequest(url: installation.gateway.url + path)
        request.headers.add(name: "authorization", value: authorization)
        request.headers.add(name: "accept", value: "text/event-stream")
        // The position at which it begins is fixed when the response begins.
        let response = try await http.execute(request, deadline: .distantFuture)
        guard response.status == .ok else { throw HarnessError("the tail responded \(response.status)") }
        let client = TailClient()
        let reading = Task { await client.read(response) }
        defer { reading.cancel() }
        return try await work(client)
    }

    private func read(_ response: HTTPClientResponse) async {
        do {
            for try await buffer in response.body { count(buffer) }
        } catch {
            // It says below that it has ended.
        }
        state.withLock { $0.hasEnded = true }
    }

    /// Counts the lines that begin with `d`: only `data:` of a delivery does (WHATWG HTML section 9.2.5).
    private func count(_ buffer: ByteBuffer) {
        state.withLock { state in
            buffer.withUnsafeReadableBytes { bytes in
                for byte in bytes {
                    if state.isLineStart, byte == UInt8(ascii: "d") { state.deliveries += 1 }
                    state.isLineStart = byte == UInt8(ascii: "\n")
                }
            }
        }
    }

    /// Waits until a number of deliveries has arrived, or none has for ten seconds.
    ///
    /// - Parameter count: The number.
    /// - Throws: ``HarnessError`` when the gateway ends the tail before.
    func wait(for count: Int) async throws {
        var last = (count: 0, at: ContinuousClock.now)
        while ContinuousClock.now - last.at < .seconds(10) {
            let (deliveries, hasEnded) = state.withLock { ($0.deliveries, $0.hasEnded) }
            if deliveries >= count { return }
            guard !hasEnded else { throw HarnessError("the gateway ended the tail after \(deliveries) deliveries") }
            if deliveries > last.count { last = (deliveries, .now) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
