import ArgumentParser
import GatewayClient

/// Lanes of a brand.
struct LaneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lane",
        abstract: "List, pause, resume or pace a brand's lanes: the pushes of one app, transport and environment.",
        discussion: """
            EXAMPLES
              switchboard lane list acme
              switchboard lane pause acme ios:apns:production
              switchboard lane resume acme ios:apns:production
              switchboard lane pace acme ios:apns:production 100
            """,
        subcommands: [List.self, Pause.self, Resume.self, Pace.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the lanes with their state and what waits in them.",
            discussion: "EXAMPLE\n  switchboard lane list acme --json"
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList
        @Argument(help: "The brand.") var brand: String

        func run() async throws {
            try await page.show(
                options,
                ["v1", "brands", brand, "lanes"],
                columns: [
                    ("LANE", "id"), ("STATE", "state"), ("IN FLIGHT", "inFlight"), ("OLDEST S", "oldestWaitSeconds"),
                    ("SENTENCE", "sentence"),
                ]
            )
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pause a lane: its pushes wait until it is resumed, also after a restart.",
            discussion: "EXAMPLE\n  switchboard lane pause acme ios:apns:production"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The lane's id, app:transport:environment.") var lane: String

        func run() async throws { try await LaneCommand.set(options, brand, lane, "pause") }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resume a paused lane.",
            discussion: "EXAMPLE\n  switchboard lane resume acme ios:apns:production"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The lane's id, app:transport:environment.") var lane: String

        func run() async throws { try await LaneCommand.set(options, brand, lane, "resume") }
    }

    struct Pace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set how many pushes a second leave from a lane at most, or remove that limit.",
            discussion: """
                Agents' messages leave first. The pace holds until it is changed, also after a restart.

                EXAMPLES
                  switchboard lane pace acme ios:apns:production 100
                  switchboard lane pace acme ios:apns:production --none
                """
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The lane's id, app:transport:environment.") var lane: String
        @Argument(help: "Pushes a second, 1 to 100000.") var pushesPerSecond: Int64?
        @Flag(help: "Remove the pace.") var none = false

        func validate() throws {
            guard (pushesPerSecond == nil) == none else { throw ValidationError("Give a number or --none.") }
        }

        func run() async throws {
            let pace = pushesPerSecond.map { JSONValue.integer($0) } ?? .null
            try await LaneCommand.set(options, brand, lane, "pace", .object(["pushesPerSecond": pace]))
        }
    }

    private static func set(
        _ options: ClientOptions,
        _ brand: String,
        _ lane: String,
        _ verb: String,
        _ body: JSONValue? = nil
    ) async throws {
        let path = ["v1", "brands", brand, "lanes", lane, verb]
        let response = try await options.client().call("POST", path, body: body)
        let sentence = TextTable.printable(response.body["sentence"].plain)
        StandardOutput.write(options.json ? response.body.text : "lane \(brand)/\(lane): \(sentence)")
    }
}
