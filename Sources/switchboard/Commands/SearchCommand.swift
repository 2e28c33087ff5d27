import ArgumentParser
import GatewayClient

/// Finds what a name is.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find a message, delivery, consumer, device, push token, APNs id or event by its whole name.",
        discussion: """
            EXAMPLES
              switchboard search acme 019a5b2e-8f3c-7d21-9c4e-5a6b7c8d9e0f
              switchboard search acme evt-1 --consumer u-1
            """
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Argument(help: "The name; - reads it from standard input, for a push token.") var name: String
    @Option(help: "The consumer of an event, or of a push by its provider's id.") var consumer: String?
    @Option(help: "The event's source.") var source: String?

    func run() async throws {
        var text = name
        if name == "-" {
            var lines = try LineReader(path: "-")
            text = String(decoding: try lines.next() ?? [], as: UTF8.self)
        }
        let body = try await options.client().call(
            "GET",
            ["v1", "brands", brand, "search"],
            query: [("q", text), ("consumer", consumer), ("source", source)]
        ).body
        guard !options.json else { return StandardOutput.write(body.text) }
        let columns: [(title: String, member: String)] = [
            ("KIND", "kind"), ("ID", "id"), ("CONSUMER", "consumer"), ("BY", "foundBy"), ("URL", "url"),
        ]
        StandardOutput.write(TextTable(body["items"].items, columns: columns).text)
        if body["items"].items.isEmpty { throw CommandFailure(.failure, "nothing has this name") }
    }
}
