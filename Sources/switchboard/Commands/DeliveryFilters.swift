import ArgumentParser

/// Filters for deliveries.
struct DeliveryFilters: ParsableArguments {
    @Option(help: "Only this consumer's.") var consumer: String?
    @Option(help: "Only this device's.") var device: String?
    @Option(help: "Only this message's.") var message: String?
    @Option(help: "Only in this state.") var state: String?
    @Option(help: "Only of this provider: apns, fcm or huawei.") var provider: String?
    @Option(help: "Only with this reason of the provider.") var reason: String?
    @Option(help: ArgumentHelp("Only queued at or after, RFC 3339.", valueName: "time")) var since: String?
    @Option(help: ArgumentHelp("Only queued before, RFC 3339.", valueName: "time")) var until: String?

    /// The query's pairs.
    var query: [(String, String?)] {
        [
            ("consumer", consumer), ("device", device), ("message", message), ("state", state), ("provider", provider),
            ("reason", reason), ("since", since), ("until", until),
        ]
    }
}
