/// Outbox rows: who gets one, who owns it, in which order they are handed out.
enum QueueCases {
    static let all: [ContractCase] = []
}
