import ArgumentParser
import Foundation

/// Posts one agent message.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Post one agent message to a consumer, or events from a file."
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Argument(help: "The consumer.") var consumer: String?
    @Argument(help: "The text.") var text: String?
    @Option(help: "The conversation; without it the consumer's active one.") var conversation: String?
    @Option(help: "The agent's name.") var agent: String?
    @Option(help: "The event's id; a random one without it. The same id is never counted twice.") var id: String?
    @Option(help: ArgumentHelp("A JSON file of one event or an array; - is standard input.", valueName: "file"))
    var events: String?

    func validate() throws {
        guard (events != nil) != (consumer != nil && text != nil) else {
            throw ValidationError("Give a consumer and a text, or --events.")
        }
    }

    func run() async throws {
        let answer = try await options.client().call("POST", ["v1", "brands", brand, "events"], body: try body())
        if options.json {
            StandardOutput.write(answer.body.text)
        } else {
            let table = TextTable(
                answer.body["results"].items,
                columns: [
                    ("EVENT", "id"), ("STATUS", "status"), ("MESSAGE", "messageId"), ("CONVERSATION", "conversation"),
                    ("SEQUENCE", "sequence"), ("UNREAD", "unread"), ("DELIVERIES", "deliveries"),
                ]
            )
            StandardOutput.write(table.text)
        }
        if let rejected = answer.body["rejected"].integer, rejected > 0 {
            throw CommandFailure(.failure, "\(rejected) of \(answer.body["results"].items.count) events were rejected")
        }
    }

    private func body() throws -> JSONValue {
        if let events { return try JSONFile.read(events) }
        var members: [String: JSONValue] = [
            "id": .string(id ?? "cli-\(UUID().uuidString.lowercased())"), "type": "agent.message",
            "consumer": .string(consumer ?? ""), "text": .string(text ?? ""),
        ]
        if let conversation { members["conversation"] = .string(conversation) }
        if let agent { members["agent"] = ["nickname": .string(agent)] }
        return .object(members)
    }
}
