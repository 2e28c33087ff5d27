import ArgumentParser
import Foundation

/// Makes a credential of any kind.
///
/// What is secret is read from files: other users of the machine see the arguments of a process.
struct CredentialCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a credential; its secret is shown this once.",
        discussion: """
            KINDS
              serviceAccount    --scope ... (events:write events:read events:manage sessions:mint deliveries:read
                                consumers:write brand:admin)
              apiKey            nothing more
              sdkKey            [--algorithm HS256|HS384|HS512] [--secret-file] [--app] [--max-lifetime] [--single-use]
              jwtIssuer         --issuer, --algorithm RS256|PS256|ES256, --public-key-file or --jwks-url,
                                [--key-id] [--audience] [--issuer-display-name] [--max-lifetime] [--single-use]
              jweKey            --algorithm RSA-OAEP-256|RSA-OAEP|ECDH-ES [--private-key-file]
              identityProvider  --issuer, --token-endpoint, --client-id, --client-secret-file, --client-auth basic|body,
                                --redirect-uri ..., --pkce required|optional, --algorithm RS256|PS256|ES256,
                                --public-key-file or --jwks-url, [--key-id] [--issuer-display-name] [--max-lifetime]
                                [--single-use]
              customerTokenKey  [--secret-file]
              tokenBroker       --app, --token-url, --client-id, --private-key-file, --key-id, --token-scope

            Secrets and keys are read from files (- is standard input), because arguments are seen by everybody on the \
            machine.

            EXAMPLE
              switchboard credential create acme --name crm --scope events:write --scope deliveries:read
            """
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Option(help: "What kind; see above.") var kind = "serviceAccount"
    @Option(help: "What people call it; assertions name an sdkKey by it.") var name: String
    @Option(help: ArgumentHelp("When it ends, RFC 3339.", valueName: "time")) var expiresAt: String?
    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("What a service account may do; repeat it.", valueName: "scope")
    )
    var scopes: [String] = []
    @Option(help: "The only algorithm that the key is used with.") var algorithm: String?
    @Option(help: "The app that it is for.") var app: String?
    @Option(help: ArgumentHelp("A file with a secret to take over.", valueName: "file")) var secretFile: String?
    @Option(help: ArgumentHelp("A file with a private key, PEM.", valueName: "file")) var privateKeyFile: String?
    @Option(help: ArgumentHelp("A file with a public key, PEM.", valueName: "file")) var publicKeyFile: String?
    @Option(help: ArgumentHelp("Where public keys are published.", valueName: "url")) var jwksUrl: String?
    @Option(help: "The kid of its tokens.") var keyId: String?
    @Option(help: "The iss of its tokens.") var issuer: String?
    @Option(help: "The name by which apps choose it.") var issuerDisplayName: String?
    @Option(help: "The aud of its tokens.") var audience: String?
    @Option(
        help: ArgumentHelp(
            "The longest time from iat to exp of its tokens, 1 to 31536000; a day when it is not given.",
            valueName: "seconds"
        )
    )
    var maxLifetime: Int64?
    @Flag(help: "Accept each of its tokens once only; they must have a jti.") var singleUse = false
    @Option(help: ArgumentHelp("Where codes are exchanged.", valueName: "url")) var tokenEndpoint: String?
    @Option(help: ArgumentHelp("Where tokens are had.", valueName: "url")) var tokenUrl: String?
    @Option(help: "Our name there.") var clientId: String?
    @Option(help: ArgumentHelp("A file with our secret there.", valueName: "file")) var clientSecretFile: String?
    @Option(help: "How the secret is shown: basic or body.") var clientAuth: String?
    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("Where codes may go; repeat it.", valueName: "uri")
    )
    var redirectURIs: [String] = []
    @Option(help: "required or optional.") var pkce: String?
    @Option(help: "What a token broker asks for.") var tokenScope: String?

    func run() async throws {
        let answer = try await options.client()
            .call("POST", ["v1", "brands", brand, "credentials"], body: .object(try members()))
        guard !options.json else { return StandardOutput.write(answer.body.text) }
        Self.show(answer.body)
    }

    /// Prints a credential that was just made, with what is shown of it only now.
    ///
    /// - Parameter made: The answer.
    static func show(_ made: JSONValue) {
        StandardOutput.write("id      \(made["id"].plain)")
        if let secret = made["secret"].string { StandardOutput.write("secret  \(secret)") }
        if let key = made["publicKey"].string { StandardOutput.write(key.trimmingCharacters(in: .newlines)) }
    }

    /// The body: only what was given, so that the gateway says what is missing and what does not belong.
    private func members() throws -> [String: JSONValue] {
        var members: [String: JSONValue] = ["kind": .string(kind), "name": .string(name)]
        if !scopes.isEmpty { members["scopes"] = .array(scopes.map { .string($0) }) }
        if let maxLifetime { members["maxLifetimeSeconds"] = .integer(maxLifetime) }
        if singleUse { members["singleUse"] = .bool(true) }
        if !redirectURIs.isEmpty { members["redirectUris"] = .array(redirectURIs.map { .string($0) }) }
        let texts: [(String, String?)] = [
            ("expiresAt", expiresAt), ("algorithm", algorithm), ("app", app), ("jwksUrl", jwksUrl), ("keyId", keyId),
            ("issuer", issuer), ("issuerDisplayName", issuerDisplayName), ("audience", audience),
            ("tokenEndpoint", tokenEndpoint), ("tokenUrl", tokenUrl), ("clientId", clientId),
            ("clientAuth", clientAuth), ("pkce", pkce), ("scope", tokenScope),
        ]
        for (name, text) in texts { if let text { members[name] = .string(text) } }
        for (name, path) in [("privateKey", privateKeyFile), ("publicKey", publicKeyFile)] {
            if let path { members[name] = .string(try JSONFile.readText(path)) }
        }
        for (name, path) in [("secret", secretFile), ("clientSecret", clientSecretFile)] {
            if let path { members[name] = .string(try JSONFile.readSecret(path)) }
        }
        return members
    }
}
