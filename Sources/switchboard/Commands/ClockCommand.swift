import ArgumentParser
import GatewayClient

/// The gateway's time.
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Show the gateway's time, or confirm that the system clock is right.",
        discussion: """
            If the clock is more than 3 days ahead of the newest time in the data when the gateway starts, it may be \
            wrong: for 6 hours of running nothing expires and housekeeping deletes nothing. If the clock is right, \
            because the gateway was off for so long, accept it. If it is wrong, set it and restart the gateway.

            EXAMPLES
              switchboard clock show
              switchboard clock accept
            """,
        subcommands: [Show.self, Accept.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the gateway's time, the system clock, and the time until which nothing expires.",
            discussion: "EXAMPLE\n  switchboard clock show --json"
        )
        @OptionGroup var options: ClientOptions

        func run() async throws {
            let response = try await options.client().call("GET", ["v1", "clock"])
            StandardOutput.write(
                options.json ? response.body.text : StatsCommand.lines(response.body, "").joined(separator: "\n")
            )
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Confirm that the system clock is right: expiry and housekeeping resume.",
            discussion: "EXAMPLE\n  switchboard clock accept"
        )
        @OptionGroup var options: ClientOptions

        func run() async throws {
            let response = try await options.client().call("POST", ["v1", "clock", "accept"])
            let time = response.body["gatewayTime"].string ?? ""
            StandardOutput.write(options.json ? response.body.text : "clock accepted; the gateway's time is \(time)")
        }
    }
}
