internal import GatewayModel
internal import GatewayStorage

/// The reason why a message was pushed to a device, or why it was not.
struct DeviceExplanation: Equatable {
    /// The result so far.
    enum Outcome: String, CaseIterable {
        /// The provider accepted the push.
        case pushed
        /// A push waits or is in flight.
        case waiting
        /// No push was made, or the provider rejected it.
        case notPushed = "not_pushed"
    }

    /// The reason; the raw value is the JSON value.
    enum Code: String, CaseIterable {
        case accepted, delivered, tapped
        case queued
        case quietHours = "quiet_hours"
        case laneWaits = "lane_waits"
        case windowOpen = "window_open"
        case sending, retrying
        case failed, expired, unregistered
        case unregisteredAgent = "unregistered_agent"
        case noConsent = "no_consent"
        case read, collapsed
        case tokenMoved = "token_moved"
        case silenced
        case noMessage = "no_message"
        case registeredLater = "registered_later"
        case tokenRejected = "token_rejected"
        case agentLoggedOut = "agent_logged_out"
        case notSubscribed = "not_subscribed"
        case notStored = "not_stored"
    }

    /// The facts about a message that waits for a device.
    struct Wait {
        /// The end of the quiet hours, if they hold the push.
        var quietUntil: Timestamp?
        /// The state of the lane as a sentence, if it does not send.
        var lane: String?
        /// The pushes a second that an operator allows the lane; nil for no limit.
        var pushesPerSecond: Int64?

        /// The limit as a sentence, after another one.
        fileprivate var pace: String {
            pushesPerSecond.map { " An operator set the lane's pace: at most \($0) a second." } ?? ""
        }
    }

    let device: DeviceID
    let app: AppID
    let provider: PushType
    /// The delivery; nil when there is none.
    var delivery: DeliveryID?
    let outcome: Outcome
    let code: Code
    let sentence: String

    /// Explains a delivery; `wait` is called for one that waits for its lane, or in it.
    init(_ record: DeliveryRecord, _ message: Message, wait: (DeliveryRecord) -> Wait) {
        (device, app, provider, delivery) = (record.device, record.app, record.provider, record.id)
        let response = [record.status.map { "\($0)" }, record.reason].compactMap(\.self).joined(separator: " ")
        let silent = message.silent ? " It is silent: the device shows nothing." : ""
        let at = (record.sentAt ?? record.queuedAt).rfc3339
        switch record.state {
        case .accepted:
            (outcome, code) = (.pushed, .accepted)
            sentence = "The provider accepted the push that was sent at \(at); the device has not reported it.\(silent)"
        case .delivered:
            (outcome, code, sentence) = (.pushed, .delivered, "The device reported that the push arrived.\(silent)")
        case .tapped: (outcome, code, sentence) = (.pushed, .tapped, "The consumer tapped the push.")
        case .sending:
            (outcome, code) = (.waiting, .sending)
            sentence = "The push is about to be sent, or in flight.\(wait(record).pace)"
        case .held:
            (outcome, code) = (.waiting, .windowOpen)
            sentence = "A messaging window is open; a push follows if the window closes without an acknowledgement."
        case .pending, .retrying:
            outcome = .waiting
            let waiting = wait(record)
            if let lane = waiting.lane {
                (code, sentence) = (.laneWaits, "The lane does not send now. \(lane)")
            } else if let until = waiting.quietUntil {
                (code, sentence) = (.quietHours, "Quiet hours hold the push until \(until.rfc3339).")
            } else if record.state == .retrying {
                (code, sentence) = (.retrying, "The provider did not take the push (\(response)); it is tried again.")
            } else {
                code = .queued
                sentence = "The push waits behind earlier ones of the device or the lane.\(waiting.pace)"
            }
        case .failed:
            (outcome, code, sentence) = (.notPushed, .failed, "The provider rejected the push (\(response)).")
        case .expired:
            (outcome, code) = (.notPushed, .expired)
            sentence = "The time to live of the push ended before a provider took it."
        case .suppressed, .cancelled:
            outcome = .notPushed
            (code, sentence) = Self.reason(record.suppressedBy)
        }
    }

    /// Explains why a registered device has no delivery of a message; nil explains why there is no message.
    init(_ registration: DeviceRegistration, _ message: Message?) {
        (device, app, provider) = (registration.device, registration.app, registration.pushType)
        outcome = .notPushed
        guard let message else {
            (code, sentence) = (.noMessage, "There was no message to push.")
            return
        }
        let isAgents = message.kind == .agent
        if registration.createdAt > message.acceptedAt {
            (code, sentence) = (
                .registeredLater,
                "The device was registered at \(registration.createdAt.rfc3339), after the message was accepted."
            )
        } else if !registration.receives.contains(isAgents ? .agent : .proactive) {
            (code, sentence) =
                isAgents
                ? (.agentLoggedOut, "The device was logged out of agents' messages, and receives only proactive ones.")
                : (.notSubscribed, "The device does not receive proactive messages.")
        } else if registration.state == .quarantined {
            (code, sentence) = (
                .tokenRejected, "The provider rejected the device's token; the device must register again."
            )
        } else {
            (code, sentence) = (
                .notStored,
                "The delivery is past its retention, or the device received no such messages when this one was accepted."
            )
        }
    }

    private static func reason(_ reason: SuppressedBy?) -> (Code, String) {
        switch reason {
        case .windowOpen: (.windowOpen, "The message was shown in an open messaging window.")
        case .unregistered: (.unregistered, "The device was unregistered before the push left.")
        case .unregisteredAgent:
            (.unregisteredAgent, "The device was logged out of agents' messages before the push left.")
        case .noConsent: (.noConsent, "The consumer does not consent to the category of the message.")
        case .read: (.read, "The message was read before the push left.")
        case .collapsed: (.collapsed, "A newer push with the same collapse key, or a summary, replaced this one.")
        case .quietHours: (.quietHours, "Quiet hours ended the push.")
        case .tokenMoved: (.tokenMoved, "The device's token moved to another consumer or device.")
        case .silenced, nil: (.silenced, "The push was silenced.")
        }
    }
}
