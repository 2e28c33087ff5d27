import ArgumentParser
import Foundation
import GatewayClient

/// Posts one agent message, or events from a file.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Post one agent message to a consumer, or events from a file.",
        discussion: """
            --file reads one event per line (NDJSON), any number, and posts them in batches, in order. Events that an \
            overloaded gateway rejects are posted again after its Retry-After. With --json each event's result is a \
            line. The exit status is 1 when an event was rejected. The same file may be sent again: an accepted id \
            counts once.

            EXAMPLES
              switchboard send acme u-1 "Your order has shipped" --agent Dana
              switchboard send acme --file events.ndjson --progress
              generate-events | switchboard send acme --file -
            """
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
    @Option(help: ArgumentHelp("A file with one event per line; - is standard input.", valueName: "file"))
    var file: String?
    @Option(help: ArgumentHelp("Events per request, 1 to 10000.", valueName: "n")) var batch = 1000
    @Flag(help: "Print progress on standard error even if it is not a terminal.") var progress = false

    func validate() throws {
        let ways = [events != nil, file != nil, consumer != nil && text != nil].filter { $0 }.count
        guard ways == 1, (events == nil && file == nil) || consumer == nil else {
            throw ValidationError("Give a consumer and a text, or --events, or --file.")
        }
        guard (1...10_000).contains(batch) else { throw ValidationError("--batch must be 1 to 10000.") }
    }

    func run() async throws {
        if let file {
            try await EventFile(path: file, brand: brand, options: self.options, batch: batch, showsProgress: progress)
                .send()
            return
        }
        let response = try await options.client().call("POST", ["v1", "brands", brand, "events"], body: try body())
        if options.json {
            StandardOutput.write(response.body.text)
        } else {
            let table = TextTable(
                response.body["results"].items,
                columns: [
                    ("EVENT", "id"), ("STATUS", "status"), ("MESSAGE", "messageId"), ("CONVERSATION", "conversation"),
                    ("SEQUENCE", "sequence"), ("UNREAD", "unread"), ("DELIVERIES", "deliveries"),
                ]
            )
            StandardOutput.write(table.text)
        }
        if let rejected = response.body["rejected"].integer, rejected > 0 {
            throw CommandFailure(
                .failure,
                "\(rejected) of \(response.body["results"].items.count) events were rejected"
            )
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
