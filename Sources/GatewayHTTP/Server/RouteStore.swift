package import GatewayStorage

/// The parts of the store that the routes and their services use.
package typealias RouteStore = HealthStore & ClockStore & AuditStore & SessionStore & CodeStore & IdempotencyStore
    & ConsumerStore & CustomerStore & DeliveryLogStore & SearchStore & FeedStore & SubscriptionStore & WebhookStore
    & OperatorStore & DeliveryLinkStore
