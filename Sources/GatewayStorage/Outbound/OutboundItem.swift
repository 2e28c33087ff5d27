package import GatewayModel

/// One item of a brand's outbound feed.
package struct OutboundItem: Sendable, Equatable {
    /// Its position: dense from 1 within the brand, in commit order; never reused.
    package var position: Int64
    /// The type.
    package var type: OutboundType
    /// The time at which it was stored.
    package var time: Timestamp
    /// The facts, a JSON object.
    package var data: JSONText

    /// Creates an item.
    package init(position: Int64, type: OutboundType, time: Timestamp, data: JSONText) {
        self.position = position
        self.type = type
        self.time = time
        self.data = data
    }
}

/// A query for items of the feed.
package struct OutboundQuery: Sendable {
    /// The brand.
    package var brand: BrandID
    /// Only items after this position.
    package var after: Int64
    /// Only items up to this position; nil reads to the end.
    package var through: Int64?
    /// Only these types; nil means all.
    package var types: Set<OutboundType>?
    /// At most this many, 1 to ``OutboundLimits/pageItems``.
    package var limit: Int
    /// At most this many bytes of data, the first item excepted.
    package var maxBytes: Int

    /// Creates a query for all items after a position.
    package init(brand: BrandID, after: Int64, limit: Int, maxBytes: Int = OutboundLimits.pageBytes) {
        self.brand = brand
        self.after = after
        self.limit = limit
        self.maxBytes = maxBytes
    }
}

/// A page of a brand's outbound feed.
package struct OutboundPage: Sendable, Equatable {
    /// The items, in order.
    package var items: [OutboundItem]
    /// The position up to which the feed was searched; the next read continues after it.
    package var nextAfter: Int64
    /// The last position that was assigned; 0 when none was.
    package var end: Int64
    /// Nothing up to this position is stored any more; 0 when everything is.
    package var removedThrough: Int64
    /// Whether the whole requested range was searched; false when a limit ended the page.
    package var isWhole: Bool

    /// Creates a page.
    package init(items: [OutboundItem], nextAfter: Int64, end: Int64, removedThrough: Int64, isWhole: Bool) {
        self.items = items
        self.nextAfter = nextAfter
        self.end = end
        self.removedThrough = removedThrough
        self.isWhole = isWhole
    }
}
