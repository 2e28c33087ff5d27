package import GatewayModel

/// What became of an event, as a label.
package enum EventResultLabel: String, CaseIterable, Sendable {
    /// New, on disk.
    case accepted
    /// Seen before.
    case duplicate
    /// A member is wrong.
    case rejected
    /// The intake was full.
    case overloaded
}

/// What became of a delivery to a consumer with a messaging window open, as a label.
package enum HeldLabel: String, CaseIterable, Sendable {
    /// It waits for the window's acknowledgement.
    case held
    /// The window closed without it: it is pushed.
    case released
    /// The window acknowledged it: it is not pushed.
    case suppressed
}

/// What a provider's answer means, as a label.
package enum OutcomeLabel: String, CaseIterable, Sendable {
    /// The provider took it.
    case accepted
    /// The token is dead.
    case unregistered
    /// A passing fault.
    case retry
    /// Refused for good.
    case rejected
    /// The credential or the app's set-up is wrong.
    case misconfigured
    /// No answer.
    case unknown
    /// It was provably not sent.
    case notSent = "not_sent"

    /// The label of an outcome.
    ///
    /// - Parameter outcome: What a provider's table decided.
    package init(_ outcome: PushOutcome) {
        self =
            switch outcome {
            case .accepted: .accepted
            case .unregistered: .unregistered
            case .retry: .retry
            case .rejected: .rejected
            case .misconfigured, .platformMisconfigured: .misconfigured
            case .unknown: .unknown
            case .notSent: .notSent
            }
    }
}

/// What a connection to a provider is doing, as a label.
package enum ConnectionLabel: String, CaseIterable, Sendable {
    /// DNS, TCP, TLS, or waiting for the first SETTINGS.
    case connecting
    /// It takes requests.
    case ready
    /// It waits for its last answers.
    case draining
}

/// What keeps a connection to a provider from taking more requests, as a label.
package enum HoldBackLabel: String, CaseIterable, Sendable {
    /// The provider's stream limit.
    case streams
    /// The provider's send window is used up.
    case window
}

/// How a session was opened, as a label.
package enum GrantLabel: String, CaseIterable, Sendable {
    /// A brand's signed assertion.
    case assertion
    /// The code flow.
    case code
    /// Without an identity.
    case anonymous
    /// Minted by a back-end.
    case backend
    /// Minted by a back-end over the Copilot.cx adaptor.
    case copilot
    /// A token that was exchanged over the CCAI adaptor.
    case ccai
}

/// Which limit turned a caller away, as a label.
package enum RefusalLabel: String, CaseIterable, Sendable {
    /// Too many connections.
    case connections
    /// Too many connections of one address.
    case addressConnections = "address_connections"
    /// Too many requests at once.
    case requests
    /// Too many requests of one address at once.
    case addressRequests = "address_requests"
    /// Too many requests of one brand at once.
    case brandRequests = "brand_requests"
    /// Too many messaging windows of one address.
    case addressWindows = "address_windows"
    /// Too many messaging windows of one brand.
    case brandWindows = "brand_windows"
    /// Too many bytes of request bodies.
    case bodyBytes = "body_bytes"
    /// Too many requests of one caller.
    case rate
}

/// Why a connection was closed on a slow caller, as a label.
package enum CutOffLabel: String, CaseIterable, Sendable {
    /// A request's head did not become whole.
    case slowHead = "slow_head"
    /// A request's body did not become whole.
    case slowBody = "slow_body"
    /// An answer was not read.
    case slowReader = "slow_reader"
}

/// What housekeeping clears away, as a label.
package enum HousekeepingLabel: String, CaseIterable, Sendable {
    /// Deliveries that expired before a lane took them.
    case expired
    /// Ids of events that no longer tell a replay.
    case eventIDs = "event_ids"
    /// Sessions that expired.
    case sessions
    /// Deliveries of the log past their retention.
    case deliveries
    /// Messages past their retention.
    case messages
    /// Resolved conversations without messages.
    case conversations
    /// Anonymous consumers of whom nothing is kept.
    case anonymous
    /// Items of outbound feeds past their retention, or acknowledged by everybody.
    case outbound
    /// Counts of campaigns past their retention.
    case campaigns
    /// Entries of the audit trail past their retention.
    case audit
    /// What erased consumers have left behind.
    case erasures
    /// Registrations of devices that were not heard of for long.
    case staleDevices = "stale_devices"
    /// What deleted brands have left behind.
    case deletedBrands = "deleted_brands"
    /// What deleted apps have left behind.
    case deletedApps = "deleted_apps"
}
