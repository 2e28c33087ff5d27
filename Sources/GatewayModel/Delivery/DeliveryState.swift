/// The state of a delivery (one message to one device; Architecture page, the delivery state machine).
package enum DeliveryState: String, Sendable, CaseIterable {
    /// Waits to be sent.
    case pending
    /// Waits for an open window's acknowledgement.
    case held
    /// Sent to the provider; the response is awaited.
    case sending
    /// Failed for now; waits for its next attempt.
    case retrying
    /// Accepted by the provider.
    case accepted
    /// Reported by the device as received.
    case delivered
    /// The consumer tapped it.
    case tapped
    /// Rejected by the provider for good.
    case failed
    /// Expired before it could be sent.
    case expired
    /// Shown in an open window instead.
    case suppressed
    /// Withdrawn; ``SuppressedBy`` holds the reason.
    case cancelled

    /// Whether no further attempt follows.
    package var isFinished: Bool {
        switch self {
        case .pending, .held, .sending, .retrying: false
        case .accepted, .delivered, .tapped, .failed, .expired, .suppressed, .cancelled: true
        }
    }

    /// The rank, which only rises: a receipt that arrives before the result is recorded is never lowered to `accepted`.
    package var rank: Int {
        switch self {
        case .pending, .held, .retrying: 0
        case .sending: 1
        case .failed, .expired, .suppressed, .cancelled, .accepted: 2
        case .delivered: 3
        case .tapped: 4
        }
    }
}

/// The reason why a delivery was not sent (SendingMessages page).
package enum SuppressedBy: String, Sendable, CaseIterable {
    /// Acknowledged in an open window.
    case windowOpen = "window_open"
    /// The registration was deleted.
    case unregistered
    /// The registration no longer receives agents' messages.
    case unregisteredAgent = "unregistered_agent"
    /// The consumer has not consented.
    case noConsent = "no_consent"
    /// Read before it was sent.
    case read
    /// A newer one with the same collapse key, or a summary, replaced it.
    case collapsed
    /// Quiet hours.
    case quietHours = "quiet_hours"
    /// The token now belongs to another consumer or device.
    case tokenMoved = "token_moved"
    /// The back-end or the brand silenced it.
    case silenced
}

/// The content of a delivery.
package enum DeliveryKind: Int, Sendable {
    /// A message.
    case message = 0
    /// Only a new badge, after a read on another device.
    case badge = 1
}
