import ArgumentParser
import GatewayClient

/// Helpdesks' webhooks of a brand.
struct HookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hook",
        abstract: "Put, list, show, try or delete a brand's webhooks of helpdesks.",
        discussion: """
            EXAMPLES
              switchboard hook put acme chatwoot --kind chatwoot --secret-file chatwoot.secret
              switchboard hook try acme chatwoot --body webhook.json
            """,
        subcommands: [Put.self, List.self, Show.self, Reply.self, Try.self, Delete.self]
    )

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a hook or replace it.",
            discussion: """
                With --path-secret the response has the path once; a hook that has one already keeps it.

                EXAMPLES
                  switchboard hook put acme chatwoot --kind chatwoot --secret-file chatwoot.secret
                  switchboard hook put acme chatwoot --kind chatwoot --secret-file chatwoot.secret \
                --reply-url https://chat.example.com --reply-account 1 --reply-token-file chatwoot.token
                  switchboard hook put acme old --kind chatwoot --path-secret --json
                  switchboard hook put acme desk --kind generic --secret-file desk.secret --mapping mapping.json
                """
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The hook's id: 1 to 64 of letters, digits, '.', '_', '-'.") var hook: String
        @Option(help: "The sender's format: chatwoot or generic.") var kind: String
        @Option(help: ArgumentHelp("A file with the secret that the sender signs with.", valueName: "file"))
        var secretFile: String?
        @Flag(help: "Add a secret to the path, for a sender that does not sign.") var pathSecret = false
        @Option(help: "The header with the signature, for a sender that signs the body alone.")
        var signatureHeader: String?
        @Option(help: ArgumentHelp("A JSON file of the mapping; - is standard input.", valueName: "file"))
        var mapping: String?
        @Option(help: ArgumentHelp("The address of the Chatwoot that gets consumers' messages.", valueName: "url"))
        var replyUrl: String?
        @Option(help: ArgumentHelp("The number of the account in Chatwoot.", valueName: "number"))
        var replyAccount: Int64?
        @Option(help: ArgumentHelp("A file with an access token of the account.", valueName: "file"))
        var replyTokenFile: String?

        func validate() throws {
            let count = [replyUrl != nil, replyAccount != nil, replyTokenFile != nil].count { $0 }
            guard [0, 3].contains(count) else {
                throw ValidationError("--reply-url, --reply-account and --reply-token-file belong together.")
            }
        }

        func run() async throws {
            var body: [String: JSONValue] = ["kind": .string(kind), "pathSecret": .bool(pathSecret)]
            if let secretFile { body["secret"] = .string(try JSONFile.readSecret(secretFile)) }
            if let signatureHeader { body["signatureHeader"] = .string(signatureHeader) }
            if let mapping { body["mapping"] = try JSONFile.read(mapping) }
            if let replyUrl, let replyAccount, let replyTokenFile {
                body["reply"] = [
                    "url": .string(replyUrl), "accountId": .integer(replyAccount),
                    "token": .string(try JSONFile.readSecret(replyTokenFile)),
                ]
            }
            let response = try await options.client()
                .call("PUT", ["v1", "brands", brand, "hooks", hook], body: .object(body))
            let verb = response.status == 201 ? "created" : "replaced"
            let text = "hook \(brand)/\(hook) \(verb); its path is \(response.body["path"].plain)"
            StandardOutput.write(options.json ? response.body.text : text)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List a brand's hooks.",
            discussion: "EXAMPLE\n  switchboard hook list acme --all"
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList
        @Argument(help: "The brand.") var brand: String

        func run() async throws {
            try await page.show(
                options,
                ["v1", "brands", brand, "hooks"],
                columns: [("HOOK", "id"), ("KIND", "kind"), ("PATH", "path")]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a hook as JSON, with a fingerprint in place of the secret.",
            discussion: "EXAMPLE\n  switchboard hook show acme chatwoot"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The hook.") var hook: String

        func run() async throws { try await options.show(["v1", "brands", brand, "hooks", hook]) }
    }

    struct Reply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show how far the messages of consumers are that go back to the helpdesk, as JSON.",
            discussion: "EXAMPLE\n  switchboard hook reply acme chatwoot"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The hook.") var hook: String

        func run() async throws { try await options.show(["v1", "brands", brand, "hooks", hook, "reply"]) }
    }

    struct Try: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the event that a webhook would become, or why it becomes none; store nothing.",
            discussion: """
                EXAMPLE
                  switchboard hook try acme chatwoot --body webhook.json --header "X-Chatwoot-Delivery: 1"
                """
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The hook.") var hook: String
        @Option(help: ArgumentHelp("A file with the body; - is standard input.", valueName: "file")) var body: String
        @Option(help: ArgumentHelp("A header, repeatable.", valueName: "name: value")) var header: [String] = []

        func run() async throws {
            var headers: [String: JSONValue] = [:]
            for header in header {
                let parts = header.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { throw ValidationError("A header is NAME: VALUE.") }
                headers[String(parts[0])] = .string(String(parts[1].drop { $0 == " " }))
            }
            let response = try await options.client().call(
                "POST",
                ["v1", "brands", brand, "hooks", hook, "try"],
                body: ["headers": .object(headers), "body": .string(try JSONFile.readText(body))]
            )
            StandardOutput.write(response.body.text)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a hook; its webhooks are rejected from then on.",
            discussion: "EXAMPLE\n  switchboard hook delete acme chatwoot"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The hook.") var hook: String

        func run() async throws {
            let response = try await options.client().call("DELETE", ["v1", "brands", brand, "hooks", hook])
            StandardOutput.write(options.json ? response.body.text : "hook \(brand)/\(hook) deleted")
        }
    }
}
