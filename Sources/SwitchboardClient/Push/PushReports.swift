import Foundation

/// A tap on a push.
struct TapReport: Sendable, Hashable, Codable {
    var messageID: String
    var at: Date
    var action: String?
    var clearsOthers = false
}

/// A sign of a push's life on the device.
struct PushReceipt: Sendable, Hashable, Codable {
    /// The state that the device reports.
    enum State: String, Sendable, Hashable, Codable {
        case delivered
        case displayed
        case dismissed
    }

    var messageID: String
    var state: State
    var at: Date
}

/// The receipts that wait to be sent, oldest first; a pure value, bounded.
struct ReportQueue: Sendable, Hashable, Codable {
    /// The most receipts that wait; the oldest gives way to a new one.
    static let maxCount = 500
    /// The most receipts of one request.
    static let maxBatch = 100

    /// A receipt with the rejections that it has had.
    private struct Entry: Sendable, Hashable, Codable {
        var receipt: PushReceipt
        var tries = 0
    }

    private var entries: [Entry] = []

    /// The number of receipts that wait.
    var count: Int { entries.count }

    /// Adds a receipt.
    mutating func add(_ receipt: PushReceipt) {
        entries.append(Entry(receipt: receipt))
        if entries.count > Self.maxCount { entries.removeFirst() }
    }

    /// The receipts of the next request.
    var batch: [PushReceipt] { entries.prefix(Self.maxBatch).map(\.receipt) }

    /// The request with the first receipts has ended.
    ///
    /// - Parameters:
    ///   - batch: The receipts in it; the oldest of them may have given way meanwhile.
    ///   - error: The error; nil if the gateway took them.
    ///   - maxTries: The number of rejections after which a receipt is dropped.
    /// - Returns: Whether to send the next request now.
    mutating func sent(_ batch: [PushReceipt], error: SwitchboardError?, maxTries: Int) -> Bool {
        let first = entries.first.flatMap { batch.firstIndex(of: $0.receipt) } ?? batch.count
        let count = min(batch.count - first, entries.count)
        guard let error else {
            entries.removeFirst(count)
            return !entries.isEmpty
        }
        switch error.code {
        case .invalidRequest, .forbidden, .notFound, .gone, .conflict:
            for index in 0..<count { entries[index].tries += 1 }
            entries.removeAll { $0.tries >= maxTries }
            return false
        default:
            // Nothing was said about these receipts.
            return false
        }
    }
}

/// The times of a push's life: each is later than the one before, whatever the device's clock did (R161).
enum ReportTimes {
    /// Returns the time of the delivery, after the push was sent.
    static func delivered(_ now: Date, sentAt: Date?) -> Date { after(sentAt, now) }

    /// Returns the time of the tap, after the delivery.
    static func tapped(_ now: Date, deliveredAt: Date?) -> Date { after(deliveredAt, now) }

    private static func after(_ earlier: Date?, _ now: Date) -> Date {
        guard let earlier, now <= earlier else { return now }
        return earlier.addingTimeInterval(1)
    }
}

/// The result of a tap.
public struct TapResult: Sendable, Hashable {
    /// The kind of the message: agent, proactive or c2m.
    public var kind: PushMessage.Kind
    /// The conversation to open; nil for a message without one.
    public var conversationID: String?
    /// The number of the message in the conversation.
    public var sequence: Int?
    /// The message to show, for proactive ones.
    public var message: GatewayMessage?
}
