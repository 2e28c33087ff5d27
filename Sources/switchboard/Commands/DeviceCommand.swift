import ArgumentParser
import GatewayClient
import GatewayModel

/// Device registrations.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Register, list, show, import or unregister consumers' devices.",
        discussion: "EXAMPLE\n  switchboard device list acme u-1",
        subcommands: [Register.self, List.self, Show.self, Unregister.self, DeviceImportCommand.self]
    )

    struct Register: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register a device for a consumer.",
            discussion:
                "EXAMPLE\n  switchboard device register acme ios phone-1 --consumer u-1 --token-file token.txt --type apns"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The app.") var app: String
        @Argument(help: "The device's id.") var device: String
        @Option(help: "The consumer.") var consumer: String
        @Option(help: "The provider's token of the device.") var token: String?
        @Option(help: ArgumentHelp("A file with that token; - is standard input.", valueName: "file"))
        var tokenFile: String?
        @Option(name: .customLong("type"), help: "\(PushType.builtNames).") var pushType: String
        @Option(help: "For apns: production or sandbox.") var environment: String?

        func validate() throws {
            guard (token == nil) != (tokenFile == nil) else { throw ValidationError("Give --token or --token-file.") }
        }

        func run() async throws {
            let token = try tokenFile.map { try JSONFile.readSecret($0) } ?? token ?? ""
            var members: [String: JSONValue] = ["token": .string(token), "pushType": .string(pushType)]
            if let environment { members["environment"] = .string(environment) }
            let response = try await options.client().call(
                "PUT",
                ["v1", "brands", brand, "apps", app, "devices", device],
                query: [("consumer", consumer)],
                body: .object(members)
            )
            StandardOutput.write(options.json ? response.body.text : "device \(device) registered for \(consumer)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List a consumer's devices.",
            discussion: "EXAMPLE\n  switchboard device list acme u-1"
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The consumer.") var consumer: String

        func run() async throws {
            try await page.show(
                options,
                ["v1", "brands", brand, "consumers", consumer, "devices"],
                columns: [
                    ("DEVICE", "deviceId"), ("APP", "app"), ("TYPE", "pushType"), ("ENVIRONMENT", "environment"),
                    ("STATE", "state"), ("RECEIVES", "receives"),
                ]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a registration as JSON.",
            discussion: "EXAMPLE\n  switchboard device show acme ios phone-1 --consumer u-1"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The app.") var app: String
        @Argument(help: "The device's id.") var device: String
        @Option(help: "The consumer.") var consumer: String

        func run() async throws {
            let path = ["v1", "brands", brand, "apps", app, "devices", device]
            try await options.show(path, query: [("consumer", consumer)])
        }
    }

    struct Unregister: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Unregister a device.",
            discussion: "EXAMPLE\n  switchboard device unregister acme ios phone-1 --consumer u-1"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The app.") var app: String
        @Argument(help: "The device's id.") var device: String
        @Option(help: "The consumer.") var consumer: String
        @Option(help: "all, or agent, which keeps proactive pushes.") var unregister = "all"

        func run() async throws {
            let response = try await options.client().call(
                "DELETE",
                ["v1", "brands", brand, "apps", app, "devices", device],
                query: [("consumer", consumer), ("unregister", unregister)]
            )
            StandardOutput.write(options.json ? response.body.text : "device \(device) unregistered")
        }
    }
}

extension PushType {
    /// The names of the push types that this version can send, for the help of an option.
    static var builtNames: String {
        allCases.filter(\.transport.isBuilt).map(\.rawValue).joined(separator: " or ")
    }
}
