import ArgumentParser
import GatewayClient

/// Brands.
struct BrandCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brand",
        abstract: "Create, list, show, change or delete brands (tenants).",
        discussion: "EXAMPLE\n  switchboard brand create acme --name \"Acme Shop\"",
        subcommands: [Create.self, List.self, Show.self, Update.self, Delete.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a brand.",
            discussion: "EXAMPLE\n  switchboard brand create acme --name \"Acme Shop\" --settings settings.json"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand's id: 1 to 64 of letters, digits, '.', '_', '-'.") var id: String
        @Option(help: "The brand's name, as consumers see it.") var name: String?
        @Option(help: ArgumentHelp("A JSON file of settings; - is standard input.", valueName: "file"))
        var settings: String?

        func run() async throws {
            var members: [String: JSONValue] = ["id": .string(id), "name": .string(name ?? id)]
            if let settings { members["settings"] = try JSONFile.read(settings) }
            let response = try await options.client().call("POST", ["v1", "brands"], body: .object(members))
            StandardOutput.write(options.json ? response.body.text : "brand \(id) created")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List brands.",
            discussion: "EXAMPLE\n  switchboard brand list --all --json"
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList

        func run() async throws {
            try await page.show(options, ["v1", "brands"], columns: [("BRAND", "id"), ("NAME", "name")])
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a brand with its settings, as JSON.",
            discussion: "EXAMPLE\n  switchboard brand show acme"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var id: String

        func run() async throws { try await options.show(["v1", "brands", id]) }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a brand's name or settings.",
            discussion: "EXAMPLE\n  echo '{\"retentionDays\":7}' | switchboard brand update acme --settings -"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var id: String
        @Option(help: "The new name.") var name: String?
        @Option(help: ArgumentHelp("A JSON file of the settings that change; - is standard input.", valueName: "file"))
        var settings: String?

        func validate() throws {
            if name == nil, settings == nil { throw ValidationError("Nothing to change: give --name or --settings.") }
        }

        func run() async throws {
            var members: [String: JSONValue] = [:]
            if let name { members["name"] = .string(name) }
            if let settings { members["settings"] = try JSONFile.read(settings) }
            let response = try await options.client().call("PATCH", ["v1", "brands", id], body: .object(members))
            StandardOutput.write(options.json ? response.body.text : "brand \(id) changed")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a brand with all its data.",
            discussion: "EXAMPLE\n  switchboard brand delete acme --yes"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var id: String
        @Flag(help: "Confirm: apps, credentials, consumers and deliveries of the brand are deleted too.")
        var yes = false

        func validate() throws {
            if !yes { throw ValidationError("This deletes everything of \(id): add --yes.") }
        }

        func run() async throws {
            let response = try await options.client().call("DELETE", ["v1", "brands", id])
            StandardOutput.write(options.json ? response.body.text : "brand \(id) deleted")
        }
    }
}
