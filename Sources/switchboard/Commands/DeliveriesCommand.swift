import ArgumentParser

/// Deliveries as operators see them.
struct DeliveriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries",
        abstract: "List a brand's deliveries, newest first, or show one with its attempts."
    )
    @OptionGroup var options: ClientOptions
    @OptionGroup var page: PagedList
    @Argument(help: "The brand.") var brand: String
    @Option(help: "One delivery with every attempt, as JSON.") var id: String?
    @Option(help: "Only this consumer's.") var consumer: String?
    @Option(help: "Only this device's.") var device: String?
    @Option(help: "Only this message's.") var message: String?
    @Option(help: "Only in this state.") var state: String?
    @Option(help: "Only by apns or fcm.") var provider: String?
    @Option(help: "Only with this reason of the provider's.") var reason: String?
    @Option(help: ArgumentHelp("Only queued at or after, RFC 3339.", valueName: "time")) var since: String?
    @Option(help: ArgumentHelp("Only queued before, RFC 3339.", valueName: "time")) var until: String?

    /// The columns that people see.
    static let columns: [(title: String, member: String)] = [
        ("ID", "id"), ("QUEUED", "queuedAt"), ("CONSUMER", "consumer"), ("DEVICE", "deviceId"),
        ("PROVIDER", "provider"), ("STATE", "state"), ("TRIES", "attempts"), ("STATUS", "status"),
        ("REASON", "reason"), ("MS", "latencyMs"), ("BADGE", "badge"), ("TAPPED", "tappedAt"),
        ("WITHDRAWN", "suppressedBy"),
    ]

    func run() async throws {
        let client = try options.client()
        if let id {
            StandardOutput.write(try await client.call("GET", ["v1", "brands", brand, "deliveries", id]).body.text)
            return
        }
        let filters = [
            ("consumer", consumer), ("device", device), ("message", message), ("state", state), ("provider", provider),
            ("reason", reason), ("since", since), ("until", until),
        ]
        let answer = try await client.call("GET", ["v1", "brands", brand, "deliveries"], query: filters + page.query)
        PagedList.show(answer.body, json: options.json, columns: Self.columns)
    }
}
