import Foundation
import ProcessHarness

/// The requests to the gateway at the end of a run.
struct Closing {
    let backEnd: BackEnd

    /// Waits until no delivery is unfinished, for two minutes at most.
    func waitUntilFinished() async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        var open = ""
        while ContinuousClock.now < deadline {
            open = ""
            for state in ["pending", "sending", "retrying", "held"] where open.isEmpty {
                let page = try await backEnd.object("GET", "/deliveries?limit=1&state=\(state)")
                if let items = page["items"] as? [Any], !items.isEmpty { open = state }
            }
            if open.isEmpty { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw HarnessError("deliveries are still \(open) after two minutes")
    }

    /// Returns the unread counts by the consumers' numbers.
    func unread(of consumers: Int) async throws -> [Int: Int] {
        var counts: [Int: Int] = [:]
        for consumer in 0..<consumers {
            let response = try await backEnd.object("GET", "/unread?consumer=u-\(consumer)")
            counts[consumer] = response["unread"] as? Int
        }
        return counts
    }

    /// Returns the whole delivery log, without badges, by message and device.
    func log() async throws -> [UnfinishedRows.Row: Evidence.Delivery] {
        var log: [UnfinishedRows.Row: Evidence.Delivery] = [:]
        var cursor = ""
        while true {
            let page = try await backEnd.object("GET", "/deliveries?limit=500" + cursor)
            for item in page["items"] as? [[String: Any]] ?? [] {
                guard let message = item["messageId"] as? String, let device = item["deviceId"] as? String,
                    let state = item["state"] as? String
                else { continue }
                log[.init(message: message, device: device)] = .init(
                    state: state,
                    suppressedBy: item["suppressedBy"] as? String
                )
            }
            guard let next = page["nextCursor"] as? String else { return log }
            cursor = "&cursor=" + next
        }
    }
}
