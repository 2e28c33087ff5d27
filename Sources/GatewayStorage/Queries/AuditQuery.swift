package import GatewayModel

/// A query for a part of the audit trail, newest first.
package struct AuditQuery: Sendable {
    /// One existing brand, without entries about earlier brands of its id; nil is the whole instance, deleted brands
    /// included.
    package var brand: BrandID?
    /// Not before this moment.
    package var since: Timestamp?
    /// Before this moment.
    package var until: Timestamp?
    /// Only numbers below this one.
    package var before: Int64?
    /// At most this many, 1 or more.
    package var limit: Int

    /// Creates a query.
    package init(
        brand: BrandID?,
        since: Timestamp? = nil,
        until: Timestamp? = nil,
        before: Int64? = nil,
        limit: Int
    ) {
        self.brand = brand
        self.since = since
        self.until = until
        self.before = before
        self.limit = limit
    }
}
