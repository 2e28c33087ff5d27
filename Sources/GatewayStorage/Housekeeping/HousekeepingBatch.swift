package import GatewayModel

/// One small batch of one kind of clearing away, done in a transaction of its own.
package struct HousekeepingBatch: Sendable {
    /// What is cleared away.
    package enum Work: Sendable {
        /// Unowned outbox rows past their expiry: they end as `expired` in the log, with the facts of their last try.
        case expired
        /// Ids of events that no longer tell a replay, by brand with the hours that they are kept; brands that are not
        /// named are left alone.
        ///
        /// Ids are kept by whole days of UTC: one is removed when its day lies more than the hours, rounded up to days,
        /// before the day of now. So it is kept for at least the hours and at most two days longer.
        case eventIDs(keepHours: [BrandID: Int64])
        /// Sessions that expired more than 24 hours ago, so that clocks that differ never remove one that is in use; those of
        /// anonymous consumers only when their tokens are no proof of a merge any more, by what held when they were opened.
        case sessions
        /// Anonymous consumers whose last session ended 24 hours ago and of whom nothing is kept: no conversation with its
        /// messages, no registration, no delivery in the log. Their ids are free again.
        ///
        /// A session that was revoked with its credential counts as ended when it would have expired. Deliveries,
        /// messages and conversations past their retention go before, by works of their own.
        case anonymous
        /// Deliveries in the log with their attempts that were queued before a moment, by brand; brands that are not
        /// named are left alone. Their numbers are never given again.
        case deliveries(before: [BrandID: Timestamp])
        /// Messages with their taps that were accepted before a moment, by brand; brands that are not named are left
        /// alone, and so is a message that still has an outbox row.
        ///
        /// One that counted as unread lowers the unread counts of its conversation and its consumer; lanes learn of it
        /// with the consumer's next change.
        case messages(before: [BrandID: Timestamp])
        /// Resolved conversations of which no message is left, if they ever had one; the last of them came, or without one
        /// they were opened, before a moment, by brand. A back-end may use its own names again and expects their sequences to
        /// go on: one that it named is listed no more, but is as it was when it is named. Brands that are not named are left
        /// alone.
        case conversations(before: [BrandID: Timestamp])
        /// Items of outbound feeds that are older than a moment, by brand, read or not; and those that every reader of the
        /// brand has acknowledged and that are older than `acknowledgedBefore`. Brands that are not named are left alone;
        /// positions are never given again.
        case outbound(before: [BrandID: Timestamp], acknowledgedBefore: Timestamp)
        /// Campaigns whose newest message was accepted before a moment, by brand; brands that are not named are left alone.
        case campaigns(before: [BrandID: Timestamp])
        /// Entries of the audit trail from before a moment, of all brands and of those that are gone, oldest first; an
        /// entry may stay while one before it in the order of numbers does.
        case audit(before: Timestamp)
        /// What erased consumers have left behind: conversations, messages, taps, deliveries, and the data of items of the
        /// outbound feed, which stay as `{"erased":true}` because positions are dense. Ids of events, which name nobody,
        /// stay for their time, so that a repeated event does not bring a consumer back.
        case erasures
        /// What brands that were deleted have left behind.
        case deletedBrands
        /// What apps that were deleted have left behind: their registrations end as unregistered, and what is pending for them as
        /// cancelled. Back-ends are told of each.
        case deletedApps

        /// Whether time alone decides what goes, and nobody has asked for it.
        package var isByTime: Bool {
            switch self {
            case .erasures, .deletedBrands, .deletedApps: false
            case .expired, .eventIDs, .sessions, .anonymous, .deliveries, .messages, .conversations, .outbound,
                .campaigns,
                .audit:
                true
            }
        }
    }

    /// What is cleared away.
    package var work: Work
    /// The time of the batch.
    package var now: Timestamp
    /// At most this many rows are removed, 1 or more; what hangs on a row (attempts, a tap) goes with it uncounted.
    package var limit: Int
    /// Where the batch before it ended; nil begins anew.
    package var position: HousekeepingPosition?

    /// Takes what is to be done.
    ///
    /// - Parameters:
    ///   - work: What is cleared away.
    ///   - now: The time of the batch.
    ///   - limit: At most this many rows are removed.
    ///   - position: Where the batch before it ended.
    package init(work: Work, now: Timestamp, limit: Int, position: HousekeepingPosition? = nil) {
        self.work = work
        self.now = now
        self.limit = limit
        self.position = position
    }
}

/// How far a pass of housekeeping has come; only its engine reads it.
package struct HousekeepingPosition: Sendable, Equatable {
    /// The brand that the pass is at; brands are passed in the order of their ids.
    package var brand: BrandID?
    /// The last row that was looked at, by its number in the engine.
    package var row: Int64

    /// Takes a position.
    ///
    /// - Parameters:
    ///   - brand: The brand that the pass is at.
    ///   - row: The last row that was looked at.
    package init(brand: BrandID? = nil, row: Int64 = .min) {
        self.brand = brand
        self.row = row
    }
}

/// What a batch of housekeeping did.
package struct HousekeepingProgress: Sendable, Equatable {
    /// How many rows were removed.
    package var removed: Int
    /// Where the next batch goes on; nil when the pass is through.
    package var next: HousekeepingPosition?
    /// How long the batch kept the writer from events, in milliseconds, sync included; 0 when it did not need it.
    package var heldMilliseconds: Double

    /// Takes what a batch did.
    ///
    /// - Parameters:
    ///   - removed: How many rows were removed.
    ///   - next: Where the next batch goes on.
    ///   - heldMilliseconds: How long the batch kept the writer.
    package init(removed: Int, next: HousekeepingPosition?, heldMilliseconds: Double) {
        self.removed = removed
        self.next = next
        self.heldMilliseconds = heldMilliseconds
    }
}
