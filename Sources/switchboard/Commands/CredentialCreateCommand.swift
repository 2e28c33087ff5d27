import ArgumentParser
import Foundation
import GatewayClient

/// Creates a credential of any kind.
///
/// Secrets are read from files: other users of the host can see the arguments of a process.
struct CredentialCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a credential; its secret is shown only once.",
        discussion: """
            KINDS
              serviceAccount    --scope ... (events:write events:read events:manage sessions:mint deliveries:read
                                deliveries:manage consumers:read consumers:write brand:admin)
              apiKey            no options
              sdkKey            [--algorithm HS256|HS384|HS512] [--secret-file] [--app] [--max-lifetime] [--single-use]
              jwtIssuer         --issuer, --algorithm RS256|PS256|ES256, --public-key-file or --jwks-url,
                                [--key-id] [--audience] [--issuer-display-name] [--max-lifetime] [--single-use]
              jweKey            --algorithm RSA-OAEP-256|RSA-OAEP|ECDH-ES [--private-key-file]
              identityProvider  --issuer, --token-endpoint, --client-id, --client-secret-file, --client-auth basic|body,
                                --redirect-uri ..., --pkce required|optional, --algorithm RS256|PS256|ES256,
                                --public-key-file or --jwks-url, [--key-id] [--issuer-display-name] [--max-lifetime]
                                [--single-use]
              customerTokenKey  [--secret-file]
              tokenBroker       --app, --token-url, --client-id, --private-key-file, --key-id, --token-scope,
                                [--decision-url and --decision-secret-file]

            Secrets and keys are read from files (- is standard input), because other users of the host can see \
            arguments.

            EXAMPLE
              switchboard credential create acme --name crm --scope events:write --scope deliveries:read
            """
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Option(help: "The kind; see above.") var kind = "serviceAccount"
    @Option(help: "A display name; assertions name an sdkKey by it.") var name: String
    @Option(help: ArgumentHelp("The expiry time, RFC 3339.", valueName: "time")) var expiresAt: String?
    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("A scope of a service account; may be repeated.", valueName: "scope")
    )
    var scopes: [String] = []
    @Option(help: "The only algorithm that is accepted for the key.") var algorithm: String?
    @Option(help: "The only app that may use the credential.") var app: String?
    @Option(help: ArgumentHelp("A file with an existing secret.", valueName: "file")) var secretFile: String?
    @Option(help: ArgumentHelp("A file with a private key, PEM.", valueName: "file")) var privateKeyFile: String?
    @Option(help: ArgumentHelp("A file with a public key, PEM.", valueName: "file")) var publicKeyFile: String?
    @Option(help: ArgumentHelp("The URL of the public keys (JWK Set).", valueName: "url")) var jwksUrl: String?
    @Option(help: "The kid of the tokens.") var keyId: String?
    @Option(help: "The iss of the tokens.") var issuer: String?
    @Option(help: "The name by which apps choose the issuer.") var issuerDisplayName: String?
    @Option(help: "The aud of the tokens.") var audience: String?
    @Option(
        help: ArgumentHelp(
            "The longest time from iat to exp of the tokens, 1 to 31536000 seconds; default one day.",
            valueName: "seconds"
        )
    )
    var maxLifetime: Int64?
    @Flag(help: "Accept each token only once; tokens must have a jti.") var singleUse = false
    @Flag(help: "Tokens authenticate a back-end, for LivePerson's campaigns, and no consumers.") var backend = false
    @Option(help: ArgumentHelp("The URL for the code exchange.", valueName: "url")) var tokenEndpoint: String?
    @Option(help: ArgumentHelp("The OAuth token URL.", valueName: "url")) var tokenUrl: String?
    @Option(help: "The gateway's client id at the identity provider or token broker.") var clientId: String?
    @Option(help: ArgumentHelp("A file with that client's secret.", valueName: "file")) var clientSecretFile: String?
    @Option(help: "How the client secret is sent: basic or body.") var clientAuth: String?
    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("An allowed redirect URI; may be repeated.", valueName: "uri")
    )
    var redirectURIs: [String] = []
    @Option(help: "required or optional.") var pkce: String?
    @Option(help: "The scope that a token broker requests.") var tokenScope: String?
    @Option(help: ArgumentHelp("The URL that is asked before a token broker grants.", valueName: "url"))
    var decisionUrl: String?
    @Option(help: ArgumentHelp("A file with the secret (whsec_...) that signs these requests.", valueName: "file"))
    var decisionSecretFile: String?

    func run() async throws {
        let response = try await options.client()
            .call("POST", ["v1", "brands", brand, "credentials"], body: .object(try members()))
        guard !options.json else { return StandardOutput.write(response.body.text) }
        Self.show(response.body)
    }

    /// Prints a new credential, the body of the response, with its secret, which is shown only once.
    static func show(_ made: JSONValue) {
        StandardOutput.write("id      \(made["id"].plain)")
        if let secret = made["secret"].string { StandardOutput.write("secret  \(secret)") }
        if let key = made["publicKey"].string { StandardOutput.write(key.trimmingCharacters(in: .newlines)) }
    }

    /// Returns the request body with only the given options, so that the gateway validates it.
    private func members() throws -> [String: JSONValue] {
        var members: [String: JSONValue] = ["kind": .string(kind), "name": .string(name)]
        if !scopes.isEmpty { members["scopes"] = .array(scopes.map { .string($0) }) }
        if let maxLifetime { members["maxLifetimeSeconds"] = .integer(maxLifetime) }
        if singleUse { members["singleUse"] = .bool(true) }
        if backend { members["backend"] = .bool(true) }
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
        var decision: [String: JSONValue] = [:]
        if let decisionUrl { decision["url"] = .string(decisionUrl) }
        if let decisionSecretFile { decision["secret"] = .string(try JSONFile.readSecret(decisionSecretFile)) }
        if !decision.isEmpty { members["decision"] = .object(decision) }
        return members
    }
}
