package import GatewayModel
package import GatewayStorage
package import Telemetry

/// The work of a pass of housekeeping, from the brands' settings.
package enum HousekeepingPlan {
    /// Returns everything but the sweep of expired deliveries, in the order in which it is done, each with its name for
    /// metrics.
    ///
    /// Deliveries go before the messages that they name, these before their conversations, and these before anonymous
    /// consumers. Without `maxRetentionDays` the retention is left to each brand.
    package static func works(
        brands: [Brand],
        maxRetentionDays: Int64?,
        auditRetentionDays: Int64,
        now: Timestamp
    ) -> [(kind: HousekeepingLabel, work: HousekeepingBatch.Work)] {
        var before: [BrandID: Timestamp] = [:]
        var keepHours: [BrandID: Int64] = [:]
        for brand in brands {
            let days = min(brand.settings.retentionDays, maxRetentionDays ?? .max)
            before[brand.id] = now.adding(seconds: -days * 86_400)
            keepHours[brand.id] = brand.settings.dedupeHours
        }
        return [
            (.deletedBrands, .deletedBrands), (.eventIDs, .eventIDs(keepHours: keepHours)), (.sessions, .sessions),
            (.deliveries, .deliveries(before: before)), (.messages, .messages(before: before)),
            (.conversations, .conversations(before: before)), (.inboxItems, .inboxItems),
            (.anonymous, .anonymous), (.campaigns, .campaigns(before: before)),
            (
                .outbound,
                .outbound(
                    before: before,
                    acknowledgedBefore: now.adding(seconds: -OutboundLimits.replayHours * 3600)
                )
            ),
            (.audit, .audit(before: now.adding(seconds: -auditRetentionDays * 86_400))),
            (.deliveryLinks, .deliveryLinks),
        ]
    }
}
