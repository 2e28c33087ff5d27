import ArgumentParser

/// Makes a second credential like the first.
struct CredentialRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Make a second credential like one that is there; its secret is shown this once.",
        discussion: """
            The new one has the kind, name, scopes, app, algorithm and limits of the old one, and a secret of its own. An \
            SDK key of an earlier version has no limit of its tokens' lifetime; the new one's is a day. The old one \
            stays in force until it is revoked: let everybody use the new one first. Names of SDK keys are unique in the \
            instance, so that a new one needs --name. Of jwtIssuer, identityProvider and tokenBroker the keys come from \
            elsewhere: make those with credential create.

            EXAMPLES
              switchboard credential rotate acme sa_h6Nf2k9Qw1
              switchboard credential rotate acme sdk_9A_cu83R9C --name web-2 --expires-at 2027-01-01T00:00:00Z
              switchboard credential rotate acme sa_h6Nf2k9Qw1 --revoke-old --json
            """
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Argument(help: "The id of the credential that is there.") var id: String
    @Option(help: "What people call the new one; an sdkKey needs another name than the old one's.") var name: String?
    @Option(
        help: ArgumentHelp(
            "When the new one ends, RFC 3339, or never; must be said when the old one ends.",
            valueName: "time"
        )
    )
    var expiresAt: String?
    @Flag(help: "Revoke the old one when the new one is made; its sessions end with it.") var revokeOld = false

    func run() async throws {
        let client = try options.client()
        let path = ["v1", "brands", brand, "credentials"]
        let old = try await client.call("GET", path + [id]).body
        let made = try await client.call("POST", path, body: .object(try members(like: old))).body
        // The secret comes first: whatever fails behind it, it is not lost.
        if options.json { StandardOutput.write(made.text) } else { CredentialCreateCommand.show(made) }
        guard revokeOld else { return }
        do {
            _ = try await client.call("DELETE", path + [id])
        } catch let failure as CommandFailure {
            throw CommandFailure(
                failure.status,
                "the new credential is made, but the old one is not known to be revoked: \(failure.message); try "
                    + "switchboard credential revoke \(brand) \(id)"
            )
        }
        if !options.json { StandardOutput.write("credential \(id) revoked") }
    }

    /// The body that makes one like another.
    private func members(like old: JSONValue) throws -> [String: JSONValue] {
        let kind = old["kind"].plain
        guard ["serviceAccount", "apiKey", "sdkKey", "jweKey", "customerTokenKey"].contains(kind) else {
            throw CommandFailure(
                .usage,
                "the keys of a \(kind) come from elsewhere: make the second with switchboard credential create \(brand) --kind "
                    + "\(kind), and revoke \(id) later"
            )
        }
        guard kind != "sdkKey" || name != nil else {
            throw CommandFailure(
                .usage,
                "names of SDK keys are unique in the instance: give the new one another --name"
            )
        }
        let end = old["expiresAt"].string
        guard end == nil || expiresAt != nil else {
            throw CommandFailure(
                .usage,
                "\(id) ends \(end ?? ""): say when the new one ends with --expires-at TIME, or --expires-at never"
            )
        }
        var members: [String: JSONValue] = [
            "kind": .string(kind), "name": .string(name ?? old["name"].plain),
        ]
        for member in ["scopes", "algorithm", "app", "maxLifetimeSeconds", "singleUse"] where old[member] != .null {
            members[member] = old[member]
        }
        if let expiresAt, expiresAt != "never" { members["expiresAt"] = .string(expiresAt) }
        return members
    }
}
