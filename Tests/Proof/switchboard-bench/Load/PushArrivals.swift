import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import ProcessHarness

/// The arrival times of messages' pushes at a simulator that stores pushes, read incrementally.
struct PushArrivals {
    /// Seconds since 1970 by message id: the middle of the millisecond that the simulator reports.
    private(set) var times: [String: Double] = [:]
    /// The last push that was read.
    private var after = 0
    private let installation: Installation
    private let http: HTTPClient

    /// Starts with the first push.
    ///
    /// - Parameters:
    ///   - installation: The installation of the simulator.
    ///   - http: An HTTP client.
    init(_ installation: Installation, http: HTTPClient) {
        self.installation = installation
        self.http = http
    }

    /// Waits until the pushes of messages have arrived.
    ///
    /// - Parameter messages: Their ids.
    /// - Throws: ``HarnessError`` when one is missing after a minute.
    mutating func wait(for messages: some Collection<String>) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !messages.allSatisfy({ times[$0] != nil }) {
            guard ContinuousClock.now < deadline else {
                throw HarnessError("of \(messages.count) pushes some did not arrive within a minute")
            }
            try await Task.sleep(for: .milliseconds(20))
            try await read()
        }
    }

    private mutating func read() async throws {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let url = installation.simulator.control + "/pushes?after=\(after)&waitSeconds=0"
        let response = try await http.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 256 << 20)
        let page = try JSONSerialization.jsonObject(with: Data(buffer: bytes)) as? [String: Any]
        for push in page?["pushes"] as? [[String: Any]] ?? [] {
            after = max(after, push["number"] as? Int ?? 0)
            guard let body = push["body"] as? [String: Any], let message = body["messageId"] as? String,
                let time = push["time"] as? String
            else { continue }
            times[message] = try format.parse(time).timeIntervalSince1970 + 0.0005
        }
    }
}
