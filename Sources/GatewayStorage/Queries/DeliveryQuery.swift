package import GatewayModel

/// A query for deliveries; nil members do not filter.
package struct DeliveryQuery: Sendable {
    /// The brand.
    package var brand: BrandID
    /// Only this consumer's.
    package var consumer: ConsumerID?
    /// Whether logged deliveries of more than the hundred youngest merged consumers are included: for exports, which
    /// are rare.
    package var reachesAllMerged = false
    /// Only this device's.
    package var device: DeviceID?
    /// Only this message's.
    package var message: MessageID?
    /// Only in this state.
    package var state: DeliveryState?
    /// Only by this transport.
    package var provider: PushType?
    /// Only with this reason of the provider.
    package var reason: String?
    /// Only queued at or after this moment.
    package var since: Timestamp?
    /// Only queued before this moment.
    package var until: Timestamp?
    /// Only older than this delivery (the cursor).
    package var before: DeliveryID?
    /// At most this many, 1 to 500.
    package var limit: Int

    /// Whether all deliveries of the brand are selected; the cursor is no filter.
    package var hasNoFilter: Bool {
        consumer == nil && device == nil && message == nil && state == nil && provider == nil && reason == nil
            && since == nil && until == nil
    }

    /// Creates a query for all of a brand's deliveries.
    package init(brand: BrandID, limit: Int) {
        self.brand = brand
        self.limit = limit
    }
}

/// A page of deliveries, newest first.
package struct DeliveryPage: Sendable {
    /// The deliveries.
    package var items: [DeliveryRecord]
    /// The cursor of the next page; nil when this is the last.
    package var next: DeliveryID?

    /// Creates a page.
    package init(items: [DeliveryRecord], next: DeliveryID?) {
        self.items = items
        self.next = next
    }
}

/// A delivery as operators see it (SendingMessages page).
package struct DeliveryRecord: Sendable, Equatable {
    /// The delivery.
    package var id: DeliveryID
    /// The message; nil for a badge.
    package var messageID: MessageID?
    /// The consumer.
    package var consumer: ConsumerID
    /// The device.
    package var device: DeviceID
    /// The app.
    package var app: AppID
    /// The transport.
    package var provider: PushType
    /// The state.
    package var state: DeliveryState
    /// The number of attempts.
    package var attempts: Int
    /// The provider's id of the push.
    package var providerID: String?
    /// The HTTP status of the last response.
    package var status: Int?
    /// The provider's reason in the last response.
    package var reason: String?
    /// When it was queued.
    package var queuedAt: Timestamp
    /// When it was last sent.
    package var sentAt: Timestamp?
    /// The time from sending to the response, in milliseconds.
    package var latencyMilliseconds: Int64?
    /// When it was tapped.
    package var tappedAt: Timestamp?
    /// When the device reported its arrival.
    package var deliveredAt: Timestamp?
    /// When the device reported that it was shown.
    package var displayedAt: Timestamp?
    /// When the device reported that it was dismissed.
    package var dismissedAt: Timestamp?
    /// When it ended without a provider's response (expired, cancelled, suppressed); nil when a response ended it.
    package var finishedAt: Timestamp?
    /// The badge that it carried.
    package var badge: Int64?
    /// The reason why no push was made.
    package var suppressedBy: SuppressedBy?

    /// Creates a delivery; unknown facts are nil.
    package init(
        id: DeliveryID,
        messageID: MessageID?,
        consumer: ConsumerID,
        device: DeviceID,
        app: AppID,
        provider: PushType,
        state: DeliveryState,
        attempts: Int,
        queuedAt: Timestamp
    ) {
        self.id = id
        self.messageID = messageID
        self.consumer = consumer
        self.device = device
        self.app = app
        self.provider = provider
        self.state = state
        self.attempts = attempts
        self.queuedAt = queuedAt
    }
}

/// A delivery with all its attempts.
package struct DeliveryDetail: Sendable {
    /// The delivery.
    package var record: DeliveryRecord
    /// Its attempts, oldest first.
    package var attempts: [DeliveryAttempt]

    /// Creates a delivery and its attempts.
    package init(record: DeliveryRecord, attempts: [DeliveryAttempt]) {
        self.record = record
        self.attempts = attempts
    }
}

/// One attempt to send a delivery.
package struct DeliveryAttempt: Sendable, Equatable {
    /// Its number, from 1.
    package var number: Int
    /// When it was sent.
    package var sentAt: Timestamp
    /// The HTTP status; 0 when there was no response.
    package var status: Int
    /// The provider's reason.
    package var reason: String?
    /// The time from sending to the response, in milliseconds.
    package var latencyMilliseconds: Int64

    /// Creates an attempt.
    package init(number: Int, sentAt: Timestamp, status: Int, reason: String?, latencyMilliseconds: Int64) {
        self.number = number
        self.sentAt = sentAt
        self.status = status
        self.reason = reason
        self.latencyMilliseconds = latencyMilliseconds
    }
}
