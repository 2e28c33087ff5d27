/// A permission of a service account (APIConventions page).
package enum Scope: String, Sendable, CaseIterable, Codable {
    /// Post events.
    case eventsWrite = "events:write"
    /// Read the outbound feed.
    case eventsRead = "events:read"
    /// Read, move and delete subscriptions of the outbound feed that another account first read.
    case eventsManage = "events:manage"
    /// Mint consumers' sessions.
    case sessionsMint = "sessions:mint"
    /// Read deliveries and stats.
    case deliveriesRead = "deliveries:read"
    /// Retry and replay deliveries, pause and resume lanes.
    case deliveriesManage = "deliveries:manage"
    /// Read consumers with their devices, conversations and messages.
    case consumersRead = "consumers:read"
    /// Act for consumers: devices, logout, profile.
    case consumersWrite = "consumers:write"
    /// Everything within the brand.
    case brandAdmin = "brand:admin"
}

extension Set<Scope> {
    /// Returns whether these permissions include one: `brand:admin` includes all, `consumers:write` includes
    /// `consumers:read`.
    package func allows(_ scope: Scope) -> Bool {
        contains(scope) || contains(.brandAdmin) || scope == .consumersRead && contains(.consumersWrite)
    }
}
