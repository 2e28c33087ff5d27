import GatewayModel
import GatewayStorage
import TurnRules

/// The counts of campaigns: a statement for each campaign and turn, none for events without one.
///
/// A delivery carries its campaign's number through the outbox into the log, and is counted there with the rest of the
/// log (LogIndexing): so a crash leaves no count wrong.
extension Writer {
    /// Returns the number of a campaign; a new name gets one.
    func campaign(_ name: BrandedName, at now: Timestamp) throws -> Int64 {
        if let known = memory.campaigns.value(name) { return known }
        let row = try db.prepare("SELECT id FROM campaigns WHERE brand = ? AND name = ?").int(name.brand).text(name.id)
        let found = try row.next() ? row.int64(0) : nil
        row.end()
        let id: Int64
        if let found {
            id = found
        } else {
            try db.prepare("INSERT INTO campaigns (brand, name, first_at, last_at) VALUES (?1, ?2, ?3, ?3)")
                .int(name.brand).text(name.id).int(now.milliseconds).run()
            id = db.lastInsertedRow
        }
        memory.campaigns.keep(id, for: name)
        return id
    }

    /// Stores the additions of a turn.
    func store(_ deltas: [Int64: CampaignDelta], at now: Timestamp) throws {
        for (campaign, delta) in deltas {
            try db.prepare(
                """
                UPDATE campaigns SET messages = messages + ?2, deliveries = deliveries + ?3, last_at = max(last_at, ?4) \
                WHERE id = ?1
                """
            ).int(campaign).int(delta.messages).int(delta.deliveries).int(now.milliseconds).run()
        }
    }

    /// Adds counts of the log; those of a removed campaign are dropped.
    func store(_ counts: LogCounts, ofCampaign campaign: Int64) throws {
        let row = try db.prepare("SELECT counts FROM campaigns WHERE id = ?").int(campaign)
        guard try row.next() else { return }
        var sum = LogCounts(bytes: row.bytes(0))
        row.end()
        sum.add(counts)
        try db.prepare("UPDATE campaigns SET counts = ? WHERE id = ?").blob(sum.bytes).int(campaign).run()
    }

    /// Counts a message that was tapped for the first time.
    func noteTapped(_ campaign: String, brand: Int64) throws {
        try db.prepare("UPDATE campaigns SET tapped = tapped + 1 WHERE brand = ? AND name = ?").int(brand).text(
            campaign
        )
        .run()
    }
}
