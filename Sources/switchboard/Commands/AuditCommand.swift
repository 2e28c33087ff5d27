import ArgumentParser

/// The audit trail.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List administrative changes, newest first: of one brand, or of the whole instance.",
        discussion: "EXAMPLE\n  switchboard audit acme --since 2026-01-01T00:00:00Z --all --json"
    )
    @OptionGroup var options: ClientOptions
    @OptionGroup var page: PagedList
    @Argument(help: "The brand; without it the whole instance, deleted brands included.") var brand: String?
    @Option(help: ArgumentHelp("Only at or after, RFC 3339.", valueName: "time")) var since: String?
    @Option(help: ArgumentHelp("Only before, RFC 3339.", valueName: "time")) var until: String?

    func run() async throws {
        try await page.show(
            options,
            brand.map { ["v1", "brands", $0, "audit"] } ?? ["v1", "audit"],
            query: [("since", since), ("until", until)],
            columns: [
                ("AT", "at"), ("BRAND", "brand"), ("ACTION", "action"), ("TARGET", "target"), ("ACTOR", "actor.id"),
                ("CHANGES", "changes"),
            ]
        )
    }
}
