package import GatewayModel

/// The type of an operator event (OperatorEvents page).
package enum OperatorEventType: String, CaseIterable, Sendable {
    /// The gateway has started: conditions of which no event follows are over.
    case started = "gateway.started"
    /// A provider rejects the credential or the configuration of a lane: its circuit breaker is open.
    case laneStopped = "lane.stopped"
    /// A provider reports too many devices of a lane as gone: the guard keeps them, and has suspended the lane.
    case laneSuspended = "lane.suspended"
    /// A provider, or the outbound proxy, does not connect.
    case laneUnreachable = "lane.unreachable"
    /// A provider is overloaded.
    case laneOverloaded = "lane.overloaded"
    /// FCM cannot reach the devices of a platform.
    case platformStopped = "lane.platform_stopped"
    /// The pushes of a brand, or of one of its apps, miss the brand's objective.
    case objectiveBurning = "objective.burning"
    /// The canary of an app is not accepted, its device is gone, or does not confirm it.
    case canaryFailing = "canary.failing"
    /// A brand's webhook fails, or is switched off.
    case webhookFailing = "webhook.failing"
    /// The replies of a hook fail.
    case repliesFailing = "hook.replies_failing"
    /// A certificate ends soon, or has ended.
    case certificateEnding = "certificate.ending"
    /// A credential of a brand ends soon.
    case credentialEnding = "credential.ending"
}

/// A condition that operators should know about, while it holds.
///
/// It has no part of a message and no secret: names, times, and words of closed sets.
package struct OperatorCondition: Sendable, Equatable {
    /// The type of the condition, and what it is about.
    package struct Subject: Sendable, Hashable {
        /// The type.
        package var type: OperatorEventType
        /// The brand; nil for the instance.
        package var brand: BrandID?
        /// The name of the lane, app, hook or credential within the brand; nil for the brand or the instance itself.
        package var name: String?

        /// Creates a subject.
        package init(_ type: OperatorEventType, brand: BrandID? = nil, name: String? = nil) {
            self.type = type
            self.brand = brand
            self.name = name
        }
    }

    /// The subject.
    package var subject: Subject
    /// The step, where a condition has steps: each one is an event.
    package var level: String?
    /// The time for which it must have held before it is an event, in seconds.
    package var holdSeconds: Int64 = 0
    /// The time at which what it is about ends.
    package var expiresAt: Timestamp?
    /// The status of a provider's response.
    package var status: Int?
    /// The provider's reason, one of a closed set.
    package var reason: String?

    /// Creates a condition.
    package init(_ subject: Subject, level: String? = nil) {
        self.subject = subject
        self.level = level
    }

    // MARK: Receivers of a brand's items

    /// The number of failed attempts in a row that is 100 %: with ``WebhookBackOff`` it is reached after five hours, and
    /// the half of it after twelve minutes.
    package static let maxFailedAttempts = 10
    /// The steps, in per cent of ``maxFailedAttempts``.
    package static let failureSteps = [100, 90, 70, 50]

    /// Creates the condition of a webhook, or of the replies of a hook; nil when it has not failed often enough.
    package init?(_ receiver: OutboundReceiver, failedAttempts: Int, isOff: Bool) {
        let share = isOff ? 100 : failedAttempts * 100 / Self.maxFailedAttempts
        guard let step = Self.failureSteps.first(where: { share >= $0 }) else { return nil }
        let type = receiver.hook == nil ? OperatorEventType.webhookFailing : .repliesFailing
        self.init(Subject(type, brand: receiver.brand, name: receiver.hook?.rawValue), level: "\(step)")
    }
}
