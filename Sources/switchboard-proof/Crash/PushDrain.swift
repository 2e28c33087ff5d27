import AsyncHTTPClient
import Foundation
import NIOCore
import ProcessHarness
import Synchronization

/// Takes every push from the simulator as it comes, before the simulator forgets it.
final class PushDrain: Sendable {
    /// One push that the simulator accepted: it reached the device.
    struct Push: Sendable {
        /// In order of arrival.
        var number: Int
        /// When it arrived, in seconds since 1970.
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

    /// Everything that was accepted so far.
    var pushes: [Push] { state.withLock { $0.pushes } }

    /// How many arrived that the simulator was told to refuse.
    var refused: Int { state.withLock { $0.refused } }

    /// Takes what comes until it is cancelled.
    func run() async throws {
        while !Task.isCancelled { try await take(waitSeconds: 1) }
    }

    /// Takes what there is.
    ///
    /// - Parameter waitSeconds: How long to wait for the first.
    /// - Throws: ``HarnessError`` when pushes were lost here, which would make the counts worthless.
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

    private static func push(_ item: [String: Any], number: Int) throws -> Push? {
        guard item["result"] as? String == "accepted" else { return nil }
        guard let token = item["token"] as? String, let text = item["time"] as? String,
            let time = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text),
            let body = item["body"] as? [String: Any]
        else { throw HarnessError("push \(number) cannot be read") }
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
