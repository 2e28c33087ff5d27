/// What the callers know, from answers alone: the run is judged by it, not by what the gateway says of itself.
struct Book: Sendable {
    /// One message that was answered with 202.
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

    /// One read, from its first try to its answer, in seconds since 1970.
    struct Read: Sendable {
        var upTo: Int
        var begin: Double
        var end: Double
    }

    /// In order of their answers, each once.
    var messages: [Message] = []
    /// By consumer, in order.
    var reads: [Int: [Read]] = [:]
    /// Every token that was ever registered.
    var devices: [String: Device] = [:]
    /// When the answer came after which a token must not be pushed to any more, in seconds since 1970.
    var goneTokens: [String: Double] = [:]
    /// Events of all kinds that were posted, each once.
    var posted = 0
    /// How many were accepted by an answer of 202.
    var accepted = 0
    /// Ids that were posted again though their answer had come.
    var replays = 0
    /// Requests that got no definite answer and were sent again.
    var retries = 0
    /// Answers that contradict the book.
    var contradictions: [String] = []

    /// Takes another caller's book in; their consumers differ, except for the shared ones, which nobody reads.
    mutating func merge(_ other: Book) {
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
