import AsyncHTTPClient
import Foundation
import NIOCore
import ProcessHarness
import Synchronization

/// Reads every push from the simulator as it arrives, before the simulator forgets it.
final class PushDrain: Sendable {
    /// One push that the simulator accepted: it reached the device.
    struct Push: Sendable {
        /// The number in order of arrival.
        var number: Int
        /// The time of arrival, in seconds since 1970.
        var time: Double
        /// The device's token.
        var token: String
        /// The message; nil for a badge alone.
        var message: String?
        /// The badge; nil where it carries none.
        var badge: Int?
    }

    private struct State {
        var pushes: [Push] = []
        var last = 0
        var refused = 0
    }

    private let control: String
    private let http: HTTPClient
    private let state = Mutex(State())

    init(control: String, http: HTTPClient) {
        self.control = control
        self.http = http
    }

    /// All pushes that were accepted so far.
    var pushes: [Push] { state.withLock { $0.pushes } }

    /// The number of pushes that the simulator rejected by its rules.
    var refused: Int { state.withLock { $0.refused } }

    /// Reads pushes until it is cancelled.
    func run() async throws {
        while !Task.isCancelled { try await take(waitSeconds: 1) }
    }

    /// Reads the available pushes, and waits for the first one; missed pushes would make the counts worthless, so they
    /// are an error.
    func take(waitSeconds: Int = 0) async throws {
        let after = state.withLock { $0.last }
        let url = "\(control)/pushes?after=\(after)&waitSeconds=\(waitSeconds)"
        let response = try await http.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 256 << 20)
        let page = try JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: Any]
        guard let items = page?["pushes"] as? [[String: Any]] else {
            throw HarnessError("the simulator sent no pushes")
        }
        try state.withLock { state in
            for item in items {
                guard let number = item["number"] as? Int, number == state.last + 1 else {
                    throw HarnessError("pushes after number \(state.last) were missed")
                }
                state.last = number
                if let push = try Self.push(item, number: number) {
                    state.pushes.append(push)
                } else {
                    state.refused += 1
                }
            }
        }
    }

    /// Waits until the simulator has read everything that a dead gateway has sent: the end of each connection comes
    /// last.
    func waitUntilDisconnected() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let response = try await http.execute(HTTPClientRequest(url: control + "/stats"), timeout: .seconds(30))
            let bytes = try await response.body.collect(upTo: 1 << 20)
            let stats = try JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: Any]
            guard let providers = stats?["providers"] as? [String: [String: Any]] else {
                throw HarnessError("the simulator's stats lack 'providers'")
            }
            let open = providers.values.map { ($0["connections"] as? [String: Any])?["open"] as? Int ?? 0 }
            if open.allSatisfy({ $0 == 0 }) { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw HarnessError("connections of a stopped gateway are still open")
    }

    private static func push(_ item: [String: Any], number: Int) throws -> Push? {
        guard item["result"] as? String == "accepted" else { return nil }
        guard let token = item["token"] as? String, let text = item["time"] as? String,
            let time = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text),
            let body = item["body"] as? [String: Any]
        else { throw HarnessError("push \(number) cannot be parsed") }
        var push = Push(number: number, time: time.timeIntervalSince1970, token: token)
        if let message = body["message"] as? [String: Any] {
            let data = message["data"] as? [String: Any]
            push.message = data?["messageId"] as? String
            push.badge = (data?["badge"] as? String).flatMap { Int($0) }
        } else {
            push.message = body["messageId"] as? String
            push.badge = (body["aps"] as? [String: Any])?["badge"] as? Int
        }
        return push
    }
}
