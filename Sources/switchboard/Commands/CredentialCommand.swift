import ArgumentParser
import GatewayClient

/// Credentials of a brand.
struct CredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Create, list, show, rotate or revoke a brand's credentials.",
        discussion: """
            To replace a key without downtime, create the second with rotate, switch all clients to it, and revoke the \
            first.

            EXAMPLES
              switchboard credential create acme --name crm --scope events:write
              switchboard credential list acme --kind serviceAccount
              switchboard credential rotate acme sa_h6Nf2k9Qw1
              switchboard credential revoke acme sa_h6Nf2k9Qw1
            """,
        subcommands: [CredentialCreateCommand.self, List.self, Show.self, CredentialRotateCommand.self, Revoke.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List a brand's credentials, without secrets.",
            discussion: "EXAMPLE\n  switchboard credential list acme --kind sdkKey"
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList
        @Argument(help: "The brand.") var brand: String
        @Option(help: "Only of this kind.") var kind: String?

        func run() async throws {
            try await page.show(
                options,
                ["v1", "brands", brand, "credentials"],
                query: [("kind", kind)],
                columns: [("ID", "id"), ("KIND", "kind"), ("NAME", "name"), ("EXPIRES", "expiresAt")]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a credential without its secret, as JSON.",
            discussion: "EXAMPLE\n  switchboard credential show acme jwe_h6Nf2k9Qw1"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The credential's id.") var id: String

        func run() async throws { try await options.show(["v1", "brands", brand, "credentials", id]) }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a credential at once.",
            discussion: "EXAMPLE\n  switchboard credential revoke acme sa_h6Nf2k9Qw1"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The credential's id.") var id: String

        func run() async throws {
            let response = try await options.client().call("DELETE", ["v1", "brands", brand, "credentials", id])
            StandardOutput.write(options.json ? response.body.text : "credential \(id) revoked")
        }
    }
}
