package import GatewayModel

/// One small batch of one kind of housekeeping, done in a transaction of its own.
package struct HousekeepingBatch: Sendable {
    /// The kind of housekeeping.
    package enum Work: Sendable {
        /// Unowned outbox rows past their expiry: they end as `expired` in the delivery log, with the facts of their
        /// last try.
        case expired
        /// Ids of events that are too old to detect a repetition, by brand with the hours of their retention; other
        /// brands are unchanged.
        ///
        /// Ids are stored by whole days of UTC. An id is removed when its day lies more than the hours, rounded up to
        /// days, before the day of now. So it is kept for at least the hours and at most two days longer.
        case eventIDs(keepHours: [BrandID: Int64])
        /// Sessions that expired more than 24 hours ago, so that clocks that differ never remove one that is in use.
        /// Those of anonymous consumers only when their tokens are no longer proof of a merge, by the rule at their
        /// opening.
        case sessions
        /// Anonymous consumers whose last session ended 24 hours ago and of whom nothing is stored: no conversation
        /// with its messages, no registration, no delivery in the log. Their ids are free again.
        ///
        /// A session that was revoked with its credential counts as ended when it would have expired. Deliveries,
        /// messages and conversations past their retention are removed before, by work of their own kind.
        case anonymous
        /// Deliveries in the log with their attempts that were queued before a moment, by brand; other brands are
        /// unchanged. Their numbers are never reused.
        case deliveries(before: [BrandID: Timestamp])
        /// Messages with their taps that were accepted before a moment, by brand; other brands are unchanged, and so is
        /// a message that still has an outbox row.
        ///
        /// One that counted as unread lowers the unread counts of its conversation and its consumer. Lanes get the new
        /// count with the consumer's next change.
        case messages(before: [BrandID: Timestamp])
        /// Resolved conversations that have lost all their messages, or never had one. Their last message came, or
        /// without one they were opened, before a moment, by brand. A back-end may use its own names again and expects
        /// their sequences to continue: a conversation that it named is no longer listed, but is unchanged when the
        /// back-end names it. Other brands are unchanged.
        case conversations(before: [BrandID: Timestamp])
        /// Items of outbound feeds that are older than a moment, by brand, read or not; and those that every reader of
        /// the brand has acknowledged and that are older than `acknowledgedBefore`. Other brands are unchanged;
        /// positions are never reused.
        case outbound(before: [BrandID: Timestamp], acknowledgedBefore: Timestamp)
        /// Campaigns whose newest message was accepted before a moment, by brand; other brands are unchanged.
        case campaigns(before: [BrandID: Timestamp])
        /// Items of inboxes that have expired.
        case inboxItems
        /// Links to deliveries that have expired.
        case deliveryLinks
        /// Entries of the audit trail from before a moment, of all brands, deleted ones included, oldest first. An
        /// entry may stay while one with a lower number does.
        case audit(before: Timestamp)
        /// Remaining rows of erased consumers: conversations, messages, taps, deliveries, and the data of items of the
        /// outbound feed, which stay as `{"erased":true}` because positions are dense. Ids of events, which name
        /// nobody, stay for their retention, so that a repeated event does not create the consumer again.
        case erasures
        /// Remaining rows of deleted brands.
        case deletedBrands
        /// Remaining rows of deleted apps: their registrations end as unregistered, and their pending deliveries as
        /// cancelled. Back-ends are notified of each.
        case deletedApps

        /// Whether only time decides what is removed, and no request did.
        package var isByTime: Bool {
            switch self {
            case .erasures, .deletedBrands, .deletedApps: false
            case .expired, .eventIDs, .sessions, .anonymous, .deliveries, .messages, .conversations, .outbound,
                .campaigns, .inboxItems, .deliveryLinks, .audit:
                true
            }
        }
    }

    /// The kind of housekeeping.
    package var work: Work
    /// The time of the batch.
    package var now: Timestamp
    /// At most this many rows are removed, 1 or more; dependent rows (attempts, a tap) are removed with them,
    /// uncounted.
    package var limit: Int
    /// The position at which the batch before it ended; nil begins a new pass.
    package var position: HousekeepingPosition?

    /// Creates a batch.
    package init(work: Work, now: Timestamp, limit: Int, position: HousekeepingPosition? = nil) {
        self.work = work
        self.now = now
        self.limit = limit
        self.position = position
    }
}

/// The position of a housekeeping pass; only its engine reads it.
package struct HousekeepingPosition: Sendable, Equatable {
    /// The present brand of the pass; brands are visited in the order of their ids.
    package var brand: BrandID?
    /// The last visited row, by its number in the engine.
    package var row: Int64

    /// Creates a position.
    package init(brand: BrandID? = nil, row: Int64 = .min) {
        self.brand = brand
        self.row = row
    }
}

/// The result of a housekeeping batch.
package struct HousekeepingProgress: Sendable, Equatable {
    /// The number of removed rows.
    package var removed: Int
    /// The position at which the next batch continues; nil at the end of the pass.
    package var next: HousekeepingPosition?
    /// The time for which the batch held the writer, in milliseconds, sync included; 0 when it did not need the writer.
    package var heldMilliseconds: Double

    /// Creates the result of a batch.
    package init(removed: Int, next: HousekeepingPosition?, heldMilliseconds: Double) {
        self.removed = removed
        self.next = next
        self.heldMilliseconds = heldMilliseconds
    }
}
