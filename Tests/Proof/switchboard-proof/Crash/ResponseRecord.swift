/// The callers' record of all responses: the run is judged by it, not by what the gateway reports about itself.
struct ResponseRecord: Sendable {
    /// A message whose response was 202.
    struct Message: Sendable {
        var event: String
        var id: String
        var consumer: Int
        var sequence: Int
        /// Whether it raises the unread count.
        var counts: Bool
        var collapseKey: String?
        /// The devices that were registered then.
        var devices: [Device]
    }

    /// A read, from its first attempt to its response, in seconds since 1970.
    struct Read: Sendable {
        var upTo: Int
        var begin: Double
        var end: Double
    }

    /// The messages in the order of their responses, each once.
    var messages: [Message] = []
    /// The reads of each consumer, in order.
    var reads: [Int: [Read]] = [:]
    /// Every token that was ever registered.
    var devices: [String: Device] = [:]
    /// The time of the response after which a token must not be pushed to any more, in seconds since 1970.
    var goneTokens: [String: Double] = [:]
    /// Events of all kinds that were posted, each once.
    var posted = 0
    /// The number of events that were accepted with 202.
    var accepted = 0
    /// The ids that were posted again after their response.
    var replays = 0
    /// The requests that were sent again because there was no definite response.
    var retries = 0
    /// Responses that contradict this record.
    var contradictions: [String] = []

    /// Merges another caller's record; their consumers differ, except for the shared ones, which nobody reads.
    mutating func merge(_ other: ResponseRecord) {
        messages += other.messages
        reads.merge(other.reads) { $0 + $1 }
        devices.merge(other.devices) { $1 }
        goneTokens.merge(other.goneTokens) { $1 }
        posted += other.posted
        accepted += other.accepted
        replays += other.replays
        retries += other.retries
        contradictions += other.contradictions
    }
}
