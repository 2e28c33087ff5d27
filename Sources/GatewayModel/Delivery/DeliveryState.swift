/// Where a delivery (one message to one device) stands (Architecture page, the delivery state machine).
package enum DeliveryState: String, Sendable, CaseIterable {
    /// Waits to be sent.
    case pending
    /// Waits for an open window's acknowledgement.
    case held
    /// On its way to the provider.
    case sending
    /// Failed for now; waits for its next try.
    case retrying
    /// The provider took it.
    case accepted
    /// The device says that it arrived.
    case delivered
    /// The consumer tapped it.
    case tapped
    /// The provider refused it for good.
    case failed
    /// Its time was over before it could be sent.
    case expired
    /// Shown in an open window instead.
    case suppressed
    /// Withdrawn; ``SuppressedBy`` says why.
    case cancelled

    /// Whether nothing more is sent for it.
    package var isFinished: Bool {
        switch self {
        case .pending, .held, .sending, .retrying: false
        case .accepted, .delivered, .tapped, .failed, .expired, .suppressed, .cancelled: true
        }
    }

    /// The rank that only rises: a receipt that overtakes the recorder is never lowered to `accepted`.
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

/// Why a delivery was not made (SendingMessages page).
package enum SuppressedBy: String, Sendable, CaseIterable {
    /// Acknowledged in an open window.
    case windowOpen = "window_open"
    /// The registration is gone.
    case unregistered
    /// The registration no longer takes agents' messages.
    case unregisteredAgent = "unregistered_agent"
    /// The consumer did not consent.
    case noConsent = "no_consent"
    /// Read before it was sent.
    case read
    /// A newer one with the same collapse key took its place, or a summary told it.
    case collapsed
    /// Quiet hours.
    case quietHours = "quiet_hours"
    /// The token now belongs to another consumer or device.
    case tokenMoved = "token_moved"
    /// The back-end or the brand silenced it.
    case silenced
}

/// What a delivery carries.
package enum DeliveryKind: Int, Sendable {
    /// A message.
    case message = 0
    /// Only a new badge, after a read on another device.
    case badge = 1
}
