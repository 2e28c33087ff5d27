import ArgumentParser
import GatewayClient
import GatewayModel

/// Shows the provider request for an event without sending it.
struct AppPreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show the provider request that an event would become, secrets masked; sends nothing.",
        discussion: "EXAMPLE\n  switchboard app preview acme ios --event event.json --type apns"
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Argument(help: "The app.") var app: String
    @Option(help: ArgumentHelp("A JSON file of the event; - is standard input.", valueName: "file"))
    var event: String
    @Option(help: "\(PushType.builtNames).") var type: String
    @Option(help: "The device's locale.") var locale: String?

    func run() async throws {
        var members: [String: JSONValue] = ["event": try JSONFile.read(event), "pushType": .string(type)]
        if let locale { members["locale"] = .string(locale) }
        let response = try await options.client()
            .call("POST", ["v1", "brands", brand, "apps", app, "preview"], body: .object(members))
        StandardOutput.write(response.body.text)
    }
}

/// Tests an app's credential with a request to its provider.
struct AppSelfCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "self-check",
        abstract: "Send a silent push to a device token and explain the provider's response.",
        discussion:
            "EXAMPLE\n  switchboard app self-check acme ios --token-file token.txt --type apns --environment sandbox"
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Argument(help: "The app.") var app: String
    @Option(help: ArgumentHelp("A file with the device's token; - is standard input.", valueName: "file"))
    var tokenFile: String
    @Option(help: "\(PushType.builtNames).") var type: String
    @Option(help: "APNs: production or sandbox.") var environment: String?

    func run() async throws {
        var members: [String: JSONValue] = [
            "token": .string(try JSONFile.readSecret(tokenFile)), "pushType": .string(type),
        ]
        if let environment { members["environment"] = .string(environment) }
        let response = try await options.client()
            .call("POST", ["v1", "brands", brand, "apps", app, "self-check"], body: .object(members))
        StandardOutput.write(
            options.json ? response.body.text : StatsCommand.lines(response.body, "").joined(separator: "\n")
        )
    }
}
