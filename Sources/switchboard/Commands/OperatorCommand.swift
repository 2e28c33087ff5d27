import ArgumentParser
import GatewayClient

/// Accounts of operators.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Create, list, show, update or delete operators' accounts.",
        discussion: """
            A role is viewer, support, operator or admin; with @BRAND it is for one brand, else for the instance.

            EXAMPLES
              switchboard operator create dana --role support@acme --password-file dana.password
              switchboard operator update dana --role operator@acme --role viewer
            """,
        subcommands: [Create.self, List.self, Show.self, Update.self, Delete.self]
    )

    /// The members of an account that are given as options.
    struct Members: ParsableArguments {
        @Option(
            name: .customLong("role"),
            help: ArgumentHelp("A role in the instance, or in a brand; may be repeated.", valueName: "role[@brand]")
        )
        var roles: [String] = []
        @Option(help: ArgumentHelp("A file with the password; - is standard input.", valueName: "file"))
        var passwordFile: String?

        /// The members that are given, so that the gateway validates them.
        func body() throws -> [String: JSONValue] {
            var body: [String: JSONValue] = [:]
            if let passwordFile { body["password"] = .string(try JSONFile.readSecret(passwordFile)) }
            guard !roles.isEmpty else { return body }
            body["roles"] = .array(
                roles.map { role in
                    let parts = role.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
                    let brand = parts.count == 2 ? JSONValue.string(String(parts[1])) : .null
                    return .object(["role": .string(String(parts[0])), "brand": brand])
                }
            )
            return body
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an account.",
            discussion: """
                EXAMPLES
                  switchboard operator create dana --role support@acme --password-file dana.password
                  switchboard operator create erin --role viewer --password-file - < erin.password
                """
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var members: Members
        @Argument(help: "The name: 1 to 128 of letters, digits, '.', '_', '@', '+', '-'.") var name: String

        func run() async throws {
            var body = try members.body()
            body["name"] = .string(name)
            let response = try await options.client().call("POST", ["v1", "operators"], body: .object(body))
            StandardOutput.write(options.json ? response.body.text : "operator \(name) created")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List accounts.",
            discussion: "EXAMPLE\n  switchboard operator list --all"
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList

        func run() async throws {
            try await page.show(
                options,
                ["v1", "operators"],
                columns: [("NAME", "name"), ("ROLES", "roles"), ("CHANGED", "updatedAt")]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an account without its password, as JSON.",
            discussion: "EXAMPLE\n  switchboard operator show dana"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The account.") var name: String

        func run() async throws { try await options.show(["v1", "operators", name]) }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace an account's roles, or its password, which ends its sessions.",
            discussion: """
                EXAMPLES
                  switchboard operator update dana --role operator@acme --role viewer
                  switchboard operator update dana --password-file dana.password
                """
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var members: Members
        @Argument(help: "The account.") var name: String

        func run() async throws {
            let response = try await options.client()
                .call("PATCH", ["v1", "operators", name], body: .object(try members.body()))
            StandardOutput.write(options.json ? response.body.text : "operator \(name) updated")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account with its sessions.",
            discussion: "EXAMPLE\n  switchboard operator delete dana"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The account.") var name: String

        func run() async throws {
            let response = try await options.client().call("DELETE", ["v1", "operators", name])
            StandardOutput.write(options.json ? response.body.text : "operator \(name) deleted")
        }
    }
}
