/// The limits of the outbound feed.
package enum OutboundLimits {
    /// Subscriptions of one brand: each retains the items that it has not acknowledged, which costs disk space.
    package static let subscriptions = 32
    /// Items of one page, as of every list.
    package static let pageItems = 500
    /// Bytes of data in one page: the memory of one response.
    package static let pageBytes = 1 << 20
    /// Rows that one read visits: a few milliseconds, however rare the wanted types are.
    package static let scannedRows = 5000
    /// The retention of items that every reader has acknowledged, in hours, so that a webhook can be replayed and a
    /// reader that lost its state can go back; never longer than the brand's `retentionDays`.
    package static let replayHours: Int64 = 72
}
