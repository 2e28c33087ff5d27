import GatewayModel
import ProcessHarness
import PushPayloads

/// Makes jobs in the form of a lane.
///
/// All their parts are prepared before, so that only the sender is measured.
struct JobMaker: Sendable {
    /// The number of devices, which take turns, each with its own path; `h2load` uses the same.
    static let devices = 10_000

    private let messages: [Message]
    private let tokens: [String]
    private let expiresAt: Timestamp

    /// Makes messages and tokens.
    ///
    /// - Parameters:
    ///   - now: The time at which the messages were accepted.
    ///   - padding: The number of bytes added to each text.
    init(now: Timestamp, padding: Int = 0) {
        let padding = String(repeating: "x", count: padding)
        expiresAt = now.adding(seconds: 3600)
        tokens = (0..<Self.devices).map { Installation.token($0) }
        var ids = MessageIDGenerator()
        messages = (0..<1000).map { number in
            var event = AgentEvent(
                id: EventID(trusted: "e\(number)"),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "consumer-\(number)")
            )
            event.text = "Your order has shipped and will be with you tomorrow between nine and eleven." + padding
            event.agentNickname = "Dana"
            event.agentID = "8500.2001"
            event.sound = "default"
            return Message(
                PostedEvent(event, ids.next(at: now)),
                brand: BrandID(trusted: Installation.brand),
                conversation: ConversationID(trusted: "conversation-\(number)"),
                sequence: Int64(number + 1),
                acceptedAt: now,
                expiresAt: now.adding(seconds: 3600)
            )
        }
    }

    /// Makes a job.
    ///
    /// - Parameter number: Its number, which is also its delivery's.
    /// - Returns: The job.
    func job(_ number: Int) -> PushJob {
        PushJob(
            delivery: DeliveryID(Int64(number)),
            registration: RegistrationID(Int64(number)),
            token: tokens[number % tokens.count],
            platform: .ios,
            message: messages[number % messages.count],
            badge: Int64(number % 10 + 1),
            expiresAt: expiresAt
        )
    }
}
