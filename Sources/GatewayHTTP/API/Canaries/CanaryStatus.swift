internal import GatewayModel
internal import TextFormats

/// The state of an app's canary.
package struct CanaryStatus: Sendable, Equatable {
    /// The condition of a canary; a label of metrics.
    package enum Condition: String, Sendable, CaseIterable {
        /// Nothing was sent since the start of the gateway, or since the canary was set.
        case waiting
        /// Its lane sends nothing now: an operator paused it, or it waits for its provider.
        case held
        /// The provider accepted the last push.
        case accepted
        /// The provider did not accept the last push, or did not respond.
        case failing
        /// The provider accepts the pushes, and the device does not confirm them as the canary's setting expects.
        case noReceipt = "no_receipt"
        /// The provider reports the device as gone: nothing is sent until the canary is changed.
        case gone

        /// Whether operators should act.
        package var isAlarming: Bool { self == .failing || self == .noReceipt || self == .gone }
    }

    /// The verdict on the last push, as it is kept when the gateway stops.
    package struct Verdict: Codable, Sendable, Equatable {
        /// The outcome.
        package var outcome: String
        /// When the push was sent, in milliseconds since 1970.
        package var attemptedAt: Int64
        /// Whether operators should act.
        package var isAlarming: Bool
        /// The state as one sentence.
        package var sentence: String

        /// Creates a verdict.
        package init(outcome: String, attemptedAt: Int64, isAlarming: Bool, sentence: String) {
            self.outcome = outcome
            self.attemptedAt = attemptedAt
            self.isAlarming = isAlarming
            self.sentence = sentence
        }
    }

    /// Whether the device confirms pushes.
    let expectsReceipt: Bool
    /// When the next push is due.
    var nextAt: Timestamp
    /// Whether its lane held the push that is due.
    var isHeld = false
    /// When the last push was sent.
    var attemptedAt: Timestamp?
    /// When the last push that the provider accepted was sent.
    var acceptedAt: Timestamp?
    /// When the device last confirmed a push.
    var receivedAt: Timestamp?
    /// Whether the device has not confirmed a push in time, and none since.
    var isReceiptMissing = false
    /// The verdict on the last push; nil before the first.
    var result: SelfCheck.Result?

    /// Creates the state of a canary that was not sent yet.
    init(expectsReceipt: Bool, nextAt: Timestamp) {
        self.expectsReceipt = expectsReceipt
        self.nextAt = nextAt
    }

    /// Whether the provider reported the device as gone.
    var isGone: Bool { result?.outcome == "unregistered" }

    /// The condition.
    package var condition: Condition {
        if isGone { return .gone }
        if isHeld { return .held }
        guard let result else { return .waiting }
        if result.outcome != "accepted" { return .failing }
        return isReceiptMissing ? .noReceipt : .accepted
    }

    /// The verdict on the last push; nil before the first.
    package var verdict: Verdict? {
        guard let result, let attemptedAt else { return nil }
        return Verdict(
            outcome: result.outcome,
            attemptedAt: attemptedAt.milliseconds,
            isAlarming: condition.isAlarming,
            sentence: sentence
        )
    }

    /// The HTTP status of the provider's last response; nil without one.
    package var status: Int? { result?.response.flatMap { $0.status == 0 ? nil : $0.status } }

    /// The provider's reason in its last response.
    package var reason: String? { result?.response?.reason }

    /// The state as one sentence, with what follows from it.
    var sentence: String {
        let time = attemptedAt?.rfc3339 ?? ""
        switch condition {
        case .waiting: return "Canary: its first push leaves at \(nextAt.rfc3339)."
        case .held: return "Canary: its push waits, because the lane sends nothing now."
        case .accepted:
            let receipt =
                if !expectsReceipt {
                    ""
                } else if let receivedAt {
                    " The device last confirmed one at \(receivedAt.rfc3339)."
                } else {
                    " The device has not confirmed it yet."
                }
            return "Canary: the provider accepted the push of \(time).\(receipt)"
        case .failing: return "Canary: the push of \(time) failed. \(result?.verdict ?? "")"
        case .noReceipt:
            return "Canary: the provider accepted the push of \(time), but the device confirms none: it may be off."
        case .gone: return "Canary: the provider reported its device as gone at \(time); set a token that is valid."
        }
    }
}

extension JSONWriter {
    /// Appends the state of a canary.
    mutating func canary(_ status: CanaryStatus) {
        literal("{")
        member("condition", status.condition.rawValue)
        member("sentence", status.sentence)
        member("attemptedAt", orNull: status.attemptedAt)
        member("acceptedAt", orNull: status.acceptedAt)
        member("receivedAt", orNull: status.receivedAt)
        member("nextAttemptAt", orNull: status.isGone ? nil : status.nextAt)
        member("outcome", orNull: status.result?.outcome)
        member("status", orNull: status.status.map { Int64($0) })
        member("reason", orNull: status.reason)
        literal("}")
    }
}
