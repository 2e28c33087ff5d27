internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

/// The history of a delivery, in order, as far as it is stored.
enum DeliveryTimeline {
    /// One step.
    struct Step: Equatable {
        var state: String
        var at: Timestamp
        /// The number of the attempt.
        var attempt: Int?
        /// The reason as the provider wrote it.
        var reason: String?
    }

    /// Returns the steps of a delivery: queued, perhaps held for a window, then each attempt with its result, then the
    /// end without a response, and the device's receipts.
    static func steps(_ delivery: DeliveryDetail) -> [Step] {
        let record = delivery.record
        var steps = [Step(state: "queued", at: record.queuedAt)]
        // A delivery that is held for a window is held from the beginning.
        if record.state == .held || record.suppressedBy == .windowOpen {
            steps.append(Step(state: "held", at: record.queuedAt))
        }
        let isAnswered = record.state.isFinished && record.finishedAt == nil
        for (index, attempt) in delivery.attempts.enumerated() {
            steps.append(Step(state: "sent", at: attempt.sentAt, attempt: attempt.number))
            let isLast = index == delivery.attempts.count - 1
            let outcome = isLast && isAnswered ? (200..<300 ~= attempt.status ? "accepted" : "failed") : "retrying"
            let answered = Timestamp(milliseconds: attempt.sentAt.milliseconds + attempt.latencyMilliseconds)
            steps.append(Step(state: outcome, at: answered, attempt: attempt.number, reason: attempt.reason))
        }
        if let finishedAt = record.finishedAt, record.state.rank <= DeliveryState.failed.rank {
            steps.append(Step(state: record.state.rawValue, at: finishedAt, reason: record.suppressedBy?.rawValue))
        }
        if let deliveredAt = record.deliveredAt { steps.append(Step(state: "delivered", at: deliveredAt)) }
        if let displayedAt = record.displayedAt { steps.append(Step(state: "displayed", at: displayedAt)) }
        if let dismissedAt = record.dismissedAt { steps.append(Step(state: "dismissed", at: dismissedAt)) }
        if let tappedAt = record.tappedAt { steps.append(Step(state: "tapped", at: tappedAt)) }
        return steps
    }
}

extension JSONWriter {
    /// Appends a delivery with its attempts and its timeline.
    mutating func deliveryDetail(_ delivery: DeliveryDetail) {
        literal("{")
        deliveryMembers(delivery.record)
        array("attemptLog", delivery.attempts) { $0.attempt($1) }
        array("timeline", DeliveryTimeline.steps(delivery)) { writer, step in
            writer.literal(#"{"state":"#)
            writer.string(step.state)
            writer.member("at", step.at)
            writer.member("attempt", orNull: step.attempt.map { Int64($0) })
            writer.member("reason", orNull: step.reason)
            writer.literal("}")
        }
        literal("}")
    }
}
