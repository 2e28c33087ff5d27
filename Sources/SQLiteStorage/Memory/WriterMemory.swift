import GatewayModel
import TurnRules

/// The writer's memory between turns, so that the hot path reads from the file only what is new.
///
/// It is exact because one process owns the file and only the writer changes it: a change of a row outside of it evicts
/// the row, and a transaction that fails empties it.
struct WriterMemory {
    /// The limit in bytes for consumers with their conversations and registrations; those that do not fit are read
    /// again.
    let limit: Int
    var consumers: GenerationalCache<BrandedName, KnownConsumer>
    /// The active registrations of a consumer, by its key; in the order of their ids.
    var registrations: GenerationalCache<Int64, [KnownRegistration]>
    /// The registrations that were looked up by their tokens.
    ///
    /// An entry may be outdated: check that the registration still belongs to the consumer and has this token.
    var owners: GenerationalCache<BrandedToken, TokenOwner>
    /// The number of the newest incarnation, 0 when there is none; nil until it is needed.
    var incarnation: Int64?
    /// The keys of brands, by id.
    var brands: [String: Int64] = [:]
    /// The brand that a claim looked up last.
    var lastBrand: (key: Int64, id: BrandID)?
    /// The numbers of campaigns.
    var campaigns = GenerationalCache<BrandedName, Int64>(limit: 256 << 10) { name, _ in 128 + name.id.utf8.count }
    /// The last day whose long event ids were not hashed yet; nil until it is needed.
    var lastTextDay: Int64?
    /// The last bucket with events that were stored without their consumer; nil until it is needed.
    var lastBrandBucket: Int64?
    /// The last bucket whose keys have no numbers; `.min` when there is none.
    var lastUnnumberedBucket: Int64?
    /// The readers of outbound feeds; nil until it is needed.
    var outbound: OutboundMemory?
    /// The next delivery's number; nil until it is needed.
    var nextDelivery: Int64?
    /// When the last delivery was queued; nil when there is none.
    var lastQueuedAt: Int64?
    /// The state of the delivery log; nil until it is needed.
    var log: LogMemory?
    /// The deliveries that lanes have in memory, as long as a log is followed.
    var underway = UnderwayDeliveries()
    /// The numbers of words in the log's counts; empty until they are needed.
    var words: [String: UInt16] = [:]

    /// Creates an empty memory.
    ///
    /// - limit: Bytes for consumers, half of them for their registrations: one with a conversation and a device takes
    ///   about as much of either. An eighth of it is added for tokens, where back-ends name devices by them.
    init(limit: Int) {
        self.limit = limit
        owners = GenerationalCache(limit: limit / 8) { 160 + $0.text.utf8.count + $1.consumer.rawValue.utf8.count }
        consumers = GenerationalCache(limit: limit / 2) { $1.bytes }
        registrations = GenerationalCache(limit: limit / 2) { KnownRegistration.bytes(of: $1) }
    }

    /// Evicts values that were not used for long; called between turns, because a turn's changes are stored at its end.
    mutating func settle() {
        consumers.settle()
        registrations.settle()
        owners.settle()
        campaigns.settle()
    }
}
