import ArgumentParser
import GatewayClient

/// Apps of a brand.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Put, list, show, test or delete a brand's apps and their push credentials.",
        discussion: """
            EXAMPLES
              switchboard app list acme
              switchboard app preview acme ios --event event.json --type apns
            """,
        subcommands: [
            Put.self, List.self, Show.self, Delete.self, AppPreviewCommand.self, AppSelfCheckCommand.self,
        ]
    )

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an app or replace its settings.",
            discussion: """
                Either --settings with the whole JSON, or the parts of one provider.

                EXAMPLE
                  switchboard app put acme ios --team-id TEAM123456 --key-id KEY1234567 --private-key-file key.p8 \
                    --topic com.example.app
                """
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The app's id: 1 to 64 of letters, digits, '.', '_', '-'.") var app: String
        @Option(help: ArgumentHelp("A JSON file of the app's settings; - is standard input.", valueName: "file"))
        var settings: String?
        @Option(help: "APNs: the 10-character team id.") var teamId: String?
        @Option(help: "APNs: the 10-character key id.") var keyId: String?
        @Option(
            name: [.customLong("private-key-file"), .customLong("private-key")],
            help: ArgumentHelp("APNs: the .p8 file of the key.", valueName: "file")
        )
        var privateKey: String?
        @Option(help: ArgumentHelp("APNs: a certificate with its key, PEM or .p12.", valueName: "file"))
        var certificate: String?
        @Option(help: ArgumentHelp("APNs: a file with the certificate's password.", valueName: "file"))
        var passwordFile: String?
        @Option(help: "APNs: the app's bundle id; a certificate for one app names it.") var topic: String?
        @Option(help: ArgumentHelp("FCM: the service account's JSON file.", valueName: "file"))
        var serviceAccount: String?
        @Option(help: "FCM: notification or data.") var style: String?
        @Option(help: ArgumentHelp("The host to use instead of the provider's: https://host:port.", valueName: "url"))
        var endpoint: String?

        func validate() throws {
            let token = [teamId, keyId, privateKey].compactMap { $0 }
            let ways = [settings != nil, !token.isEmpty, certificate != nil, serviceAccount != nil].filter { $0 }.count
            guard ways == 1 else {
                throw ValidationError(
                    """
                    Give one of: --settings; --team-id, --key-id, --private-key-file and --topic; --certificate; \
                    --service-account.
                    """
                )
            }
            if !token.isEmpty, token.count < 3 || topic == nil {
                throw ValidationError(
                    "APNs needs --team-id, --key-id, --private-key-file and --topic, or --certificate."
                )
            }
            if topic != nil, token.isEmpty, certificate == nil {
                throw ValidationError("--topic goes with --team-id, --key-id and --private-key-file, or --certificate.")
            }
            if passwordFile != nil, certificate == nil {
                throw ValidationError("--password-file goes with --certificate.")
            }
        }

        func run() async throws {
            let response = try await options.client()
                .call("PUT", ["v1", "brands", brand, "apps", app], body: try body())
            let verb = response.status == 201 ? "created" : "replaced"
            StandardOutput.write(options.json ? response.body.text : "app \(brand)/\(app) \(verb)")
        }

        private func body() throws -> JSONValue {
            if let settings { return try JSONFile.read(settings) }
            if let teamId, let keyId, let privateKey, let topic {
                var apns: [String: JSONValue] = [
                    "teamId": .string(teamId), "keyId": .string(keyId), "topic": .string(topic),
                    "privateKey": .string(try JSONFile.readText(privateKey)),
                ]
                apns["endpoints"] = endpoints
                return ["platform": "ios", "apns": .object(apns)]
            }
            if let certificate {
                var apns: [String: JSONValue] = ["certificate": .string(try JSONFile.readCertificate(certificate))]
                if let passwordFile { apns["password"] = .string(try JSONFile.readSecret(passwordFile)) }
                apns["topic"] = topic.map { .string($0) }
                apns["endpoints"] = endpoints
                return ["platform": "ios", "apns": .object(apns)]
            }
            guard let serviceAccount else { return [:] }
            var fcm: [String: JSONValue] = ["serviceAccount": try JSONFile.read(serviceAccount)]
            if let style { fcm["style"] = .string(style) }
            if let endpoint { fcm["endpoint"] = .string(endpoint) }
            return ["platform": "android", "fcm": .object(fcm)]
        }

        /// One host in place of both of Apple's, production and sandbox.
        private var endpoints: JSONValue? {
            endpoint.map { ["production": .string($0), "sandbox": .string($0)] }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an app's settings as JSON, with fingerprints in place of secrets.",
            discussion: "EXAMPLE\n  switchboard app show acme ios"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The app.") var app: String

        func run() async throws { try await options.show(["v1", "brands", brand, "apps", app]) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List a brand's apps.",
            discussion: "EXAMPLE\n  switchboard app list acme --all"
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList
        @Argument(help: "The brand.") var brand: String

        func run() async throws {
            try await page.show(
                options,
                ["v1", "brands", brand, "apps"],
                columns: [("APP", "id"), ("PLATFORM", "platform")]
            )
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an app with its registrations and their pending deliveries.",
            discussion: "EXAMPLE\n  switchboard app delete acme ios --yes"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The app.") var app: String
        @Flag(help: "Confirm: the app's registrations are deleted too.") var yes = false

        func validate() throws {
            if !yes { throw ValidationError("This deletes \(brand)/\(app) and its registrations: add --yes.") }
        }

        func run() async throws {
            let response = try await options.client().call("DELETE", ["v1", "brands", brand, "apps", app])
            StandardOutput.write(options.json ? response.body.text : "app \(brand)/\(app) deleted")
        }
    }
}
