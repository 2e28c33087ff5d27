import ArgumentParser
import GatewayClient

/// Creates a second credential with the settings of the first.
struct CredentialRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Create a second credential like an existing one; its secret is shown only once.",
        discussion: """
            The new one has the kind, name, scopes, app, algorithm and limits of the old one, and its own secret. An \
            SDK key of an earlier version has no limit for the lifetime of its tokens; the new one's limit is a day. \
            The old one stays valid until it is revoked: switch all clients to the new one first. Names of SDK keys \
            are unique in the instance: a new one needs --name. The keys of jwtIssuer, identityProvider and \
            tokenBroker are issued elsewhere: use credential create for those.

            EXAMPLES
              switchboard credential rotate acme sa_h6Nf2k9Qw1
              switchboard credential rotate acme sdk_9A_cu83R9C --name web-2 --expires-at 2027-01-01T00:00:00Z
              switchboard credential rotate acme sa_h6Nf2k9Qw1 --revoke-old --json
            """
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Argument(help: "The id of the existing credential.") var id: String
    @Option(help: "The display name of the new one; for an sdkKey it must differ from the old name.") var name: String?
    @Option(
        help: ArgumentHelp(
            "The new one's expiry time, RFC 3339, or never; required if the old one expires.",
            valueName: "time"
        )
    )
    var expiresAt: String?
    @Flag(help: "Revoke the old one once the new one is created; its sessions end too.") var revokeOld = false

    func run() async throws {
        let client = try options.client()
        let path = ["v1", "brands", brand, "credentials"]
        let old = try await client.call("GET", path + [id]).body
        let made = try await client.call("POST", path, body: .object(try members(like: old))).body
        // The secret is printed first, so that a later error does not lose it.
        if options.json { StandardOutput.write(made.text) } else { CredentialCreateCommand.show(made) }
        guard revokeOld else { return }
        do {
            _ = try await client.call("DELETE", path + [id])
        } catch let failure as CommandFailure {
            throw CommandFailure(
                failure.status,
                "the new credential is created, but the old one may still be valid: \(failure.message); try "
                    + "switchboard credential revoke \(brand) \(id)"
            )
        }
        if !options.json { StandardOutput.write("credential \(id) revoked") }
    }

    /// Returns the request body for a credential like another.
    private func members(like old: JSONValue) throws -> [String: JSONValue] {
        let kind = old["kind"].plain
        guard ["serviceAccount", "apiKey", "sdkKey", "jweKey", "customerTokenKey"].contains(kind) else {
            throw CommandFailure(
                .usage,
                "the keys of a \(kind) are issued elsewhere: use switchboard credential create \(brand) --kind "
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
                "\(id) expires \(end ?? ""): give --expires-at TIME for the new one, or --expires-at never"
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
