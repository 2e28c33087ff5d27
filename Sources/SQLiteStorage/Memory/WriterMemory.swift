/// What the writer remembers between turns, so that the hot path asks the file only for what is new.
///
/// It is exact because one process owns the file and only the writer changes it: what changes a row behind it takes the
/// row out of it, and a transaction that fails empties it.
struct WriterMemory {
    /// About 500 bytes each; a consumer beyond twice as many is read again.
    private static let limit = 16_384

    var consumers = RecentValues<BrandedName, KnownConsumer>(limit: limit)
    /// The active registrations of a consumer, by its key; in the order of their ids.
    var registrations = RecentValues<Int64, [KnownRegistration]>(limit: limit)
    /// The keys of brands, by id.
    var brands: [String: Int64] = [:]
    /// The numbers of campaigns.
    var campaigns = RecentValues<BrandedName, Int64>(limit: 1024)
    /// The days that have remembered event ids, newest first; nil until they are needed.
    var dedupeDays: [Int64]?
    /// Who reads outbound feeds; nil until it is needed.
    var outbound: OutboundMemory?
    /// The next delivery's number; nil until it is needed.
    var nextDelivery: Int64?
    /// When the last delivery was queued; nil when there is none.
    var lastQueuedAt: Int64?
    /// What is known of the delivery log; nil until it is needed.
    var log: LogMemory?
    /// The numbers of words in the log's counts; empty until they are needed.
    var words: [String: UInt16] = [:]
}
