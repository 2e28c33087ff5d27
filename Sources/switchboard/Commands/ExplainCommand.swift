import ArgumentParser
import GatewayClient

/// Explains why a message was pushed, or why it was not.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain for each device of a consumer why a message was pushed, or why it was not.",
        discussion: """
            Without --message, the last message that was accepted at --at, or in the day before it, is explained.

            EXAMPLES
              switchboard explain acme u-1
              switchboard explain acme u-1 --at 2026-01-02T03:04:05Z
            """
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Argument(help: "The consumer.") var consumer: String
    @Option(help: "The message's id.") var message: String?
    @Option(help: ArgumentHelp("A time, RFC 3339; now by default.", valueName: "time")) var at: String?

    func run() async throws {
        let body = try await options.client().call(
            "GET",
            ["v1", "brands", brand, "consumers", consumer, "explain"],
            query: [("message", message), ("at", at)]
        ).body
        guard !options.json else { return StandardOutput.write(body.text) }
        let id = body["message"]["id"].plain
        StandardOutput.write(TextTable.printable((id.isEmpty ? "" : "message \(id): ") + body["sentence"].plain))
        for device in body["devices"].items {
            let name = "\(device["app"].plain)/\(device["deviceId"].plain)"
            StandardOutput.write(TextTable.printable("\(name): \(device["sentence"].plain) [\(device["code"].plain)]"))
        }
    }
}
