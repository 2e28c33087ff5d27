package import GatewayModel

/// One item of a brand's outbound feed.
package struct OutboundItem: Sendable, Equatable {
    /// Its place: dense from 1 within the brand, in the order of commits; never given again.
    package var position: Int64
    /// What it tells.
    package var type: OutboundType
    /// When it was stored.
    package var time: Timestamp
    /// The facts, a JSON object.
    package var data: JSONText

    /// Takes an item.
    ///
    /// - Parameters:
    ///   - position: Its place.
    ///   - type: What it tells.
    ///   - time: When it was stored.
    ///   - data: The facts.
    package init(position: Int64, type: OutboundType, time: Timestamp, data: JSONText) {
        self.position = position
        self.type = type
        self.time = time
        self.data = data
    }
}

/// Which items to read.
package struct OutboundQuery: Sendable {
    /// The brand.
    package var brand: BrandID
    /// Only items behind this position.
    package var after: Int64
    /// Only items up to this position; nil reads to the end.
    package var through: Int64?
    /// Only these; nil is everything.
    package var types: Set<OutboundType>?
    /// At most this many, 1 to ``OutboundLimits/pageItems``.
    package var limit: Int
    /// At most this many bytes of data, the first item excepted.
    package var maxBytes: Int

    /// All items behind a position.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - after: Only items behind this position.
    ///   - limit: At most this many.
    ///   - maxBytes: At most this many bytes of data.
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
    /// Up to where the feed was looked through: reading goes on behind it.
    package var nextAfter: Int64
    /// The last position that was given; 0 when none was.
    package var end: Int64
    /// Nothing up to this position is kept any more; 0 when everything is.
    package var removedThrough: Int64
    /// Whether everything that was asked for was looked through; false when a limit ended the page.
    package var isWhole: Bool

    /// Takes a page.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - nextAfter: Up to where the feed was looked through.
    ///   - end: The last position that was given.
    ///   - removedThrough: Nothing up to this position is kept any more.
    ///   - isWhole: Whether everything that was asked for was looked through.
    package init(items: [OutboundItem], nextAfter: Int64, end: Int64, removedThrough: Int64, isWhole: Bool) {
        self.items = items
        self.nextAfter = nextAfter
        self.end = end
        self.removedThrough = removedThrough
        self.isWhole = isWhole
    }
}
