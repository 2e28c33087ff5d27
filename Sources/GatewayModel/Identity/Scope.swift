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
    /// Act for consumers: devices, logout, profile.
    case consumersWrite = "consumers:write"
    /// Everything within the brand.
    case brandAdmin = "brand:admin"
}
