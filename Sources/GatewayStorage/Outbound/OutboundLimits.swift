/// What bounds the outbound feed.
package enum OutboundLimits {
    /// Subscriptions of one brand: each keeps what it has not acknowledged, and none of them is free.
    package static let subscriptions = 32
    /// Items of one page, as of every list.
    package static let pageItems = 500
    /// Bytes of data in one page: what an answer may hold in memory.
    package static let pageBytes = 1 << 20
    /// Rows that one read looks at: a few milliseconds, however rare the wanted types are.
    package static let scannedRows = 5000
    /// How long items are kept that everybody has acknowledged, in hours, so that a webhook can be replayed and a reader
    /// that lost what it had read can go back; never longer than the brand's `retentionDays`.
    package static let replayHours: Int64 = 72
}
