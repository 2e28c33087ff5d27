import ArgumentParser

/// Credentials of a brand.
struct CredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Create, list or revoke a brand's credentials.",
        subcommands: [Create.self, List.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a credential; its secret is shown this once.",
            discussion: "Scopes: events:write events:read sessions:mint deliveries:read consumers:write brand:admin"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Option(help: "serviceAccount or sdkKey.") var kind = "serviceAccount"
        @Option(help: "What people call it.") var name: String
        @Option(
            name: .customLong("scope"),
            help: ArgumentHelp("What a service account may do; repeat it.", valueName: "scope")
        )
        var scopes: [String] = []
        @Option(help: ArgumentHelp("When it ends, RFC 3339.", valueName: "time")) var expiresAt: String?
        @Option(help: "For an sdkKey: HS256, HS384 or HS512.") var algorithm: String?

        func run() async throws {
            var members: [String: JSONValue] = ["kind": .string(kind), "name": .string(name)]
            if !scopes.isEmpty { members["scopes"] = .array(scopes.map { .string($0) }) }
            if let expiresAt { members["expiresAt"] = .string(expiresAt) }
            if let algorithm { members["algorithm"] = .string(algorithm) }
            let answer = try await options.client()
                .call("POST", ["v1", "brands", brand, "credentials"], body: .object(members))
            if options.json {
                StandardOutput.write(answer.body.text)
            } else {
                StandardOutput.write("id      \(answer.body["id"].plain)\nsecret  \(answer.body["secret"].plain)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List a brand's credentials, without secrets.")
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList
        @Argument(help: "The brand.") var brand: String

        func run() async throws {
            let answer = try await options.client()
                .call("GET", ["v1", "brands", brand, "credentials"], query: page.query)
            PagedList.show(
                answer.body,
                json: options.json,
                columns: [("ID", "id"), ("KIND", "kind"), ("NAME", "name"), ("EXPIRES", "expiresAt")]
            )
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a credential at once.")
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The credential's id.") var id: String

        func run() async throws {
            let answer = try await options.client().call("DELETE", ["v1", "brands", brand, "credentials", id])
            StandardOutput.write(options.json ? answer.body.text : "credential \(id) revoked")
        }
    }
}
