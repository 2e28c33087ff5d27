package import GatewayModel

/// The result of an event, as a label.
package enum EventResultLabel: String, CaseIterable, Sendable {
    /// New, and on disk.
    case accepted
    /// A duplicate.
    case duplicate
    /// A member is invalid.
    case rejected
    /// The intake was full.
    case overloaded
}

/// The result of a delivery to a consumer with an open messaging window, as a label.
package enum HeldLabel: String, CaseIterable, Sendable {
    /// It waits for the window's acknowledgement.
    case held
    /// The window closed without acknowledging it: it is pushed.
    case released
    /// The window acknowledged it: it is not pushed.
    case suppressed
}

/// The outcome of a provider's response, as a label.
package enum OutcomeLabel: String, CaseIterable, Sendable {
    /// The provider accepted the push.
    case accepted
    /// The token is no longer valid.
    case unregistered
    /// A temporary error.
    case retry
    /// A permanent rejection.
    case rejected
    /// The credential or the app's set-up is wrong.
    case misconfigured
    /// No response.
    case unknown
    /// The push was provably not sent.
    case notSent = "not_sent"

    /// The label of an outcome.
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

/// The state of a connection to a provider, as a label.
package enum ConnectionLabel: String, CaseIterable, Sendable {
    /// DNS, TCP, TLS, or waiting for the first SETTINGS.
    case connecting
    /// It takes requests.
    case ready
    /// It waits for its last responses.
    case draining
}

/// The limit that keeps a connection to a provider from taking more requests, as a label.
package enum HoldBackLabel: String, CaseIterable, Sendable {
    /// The provider's stream limit.
    case streams
    /// The provider's send window is used up.
    case window
}

/// The grant by which a session was opened, as a label.
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

/// The limit because of which a caller was rejected, as a label.
package enum RejectionLabel: String, CaseIterable, Sendable {
    /// Too many connections.
    case connections
    /// Too many connections from one address.
    case addressConnections = "address_connections"
    /// Too many concurrent requests.
    case requests
    /// Too many concurrent requests from one address.
    case addressRequests = "address_requests"
    /// Too many concurrent requests of one brand.
    case brandRequests = "brand_requests"
    /// Too many messaging windows from one address.
    case addressWindows = "address_windows"
    /// Too many messaging windows of one brand.
    case brandWindows = "brand_windows"
    /// Too many bytes of request bodies.
    case bodyBytes = "body_bytes"
    /// Requests above one caller's rate limit.
    case rate
}

/// The reason for which a slow caller's connection was closed, as a label.
package enum CutOffLabel: String, CaseIterable, Sendable {
    /// The TLS handshake was not complete in time.
    case slowHandshake = "slow_handshake"
    /// The head of a request was not complete in time.
    case slowHead = "slow_head"
    /// The body of a request was not complete in time.
    case slowBody = "slow_body"
    /// The caller did not read a response.
    case slowReader = "slow_reader"
    /// The caller sent too many HTTP/2 frames that only cause work.
    case flood
}

/// The kind of data that housekeeping deletes, as a label.
package enum HousekeepingLabel: String, CaseIterable, Sendable {
    /// Deliveries that expired before a lane took them.
    case expired
    /// Ids of events that are no longer needed to detect duplicates.
    case eventIDs = "event_ids"
    /// Sessions that expired.
    case sessions
    /// Entries of the delivery log past their retention.
    case deliveries
    /// Messages past their retention.
    case messages
    /// Resolved conversations without messages.
    case conversations
    /// Anonymous consumers without any data.
    case anonymous
    /// Items of outbound feeds past their retention, or acknowledged by all subscriptions.
    case outbound
    /// Statistics of campaigns past their retention.
    case campaigns
    /// Items of inboxes that expired.
    case inboxItems = "inbox_items"
    /// Links to deliveries that expired.
    case deliveryLinks = "delivery_links"
    /// Entries of the audit trail past their retention.
    case audit
    /// Remaining data of erased consumers.
    case erasures
    /// Registrations of devices that have not been seen for long.
    case staleDevices = "stale_devices"
    /// Remaining data of deleted brands.
    case deletedBrands = "deleted_brands"
    /// Remaining data of deleted apps.
    case deletedApps = "deleted_apps"
}
