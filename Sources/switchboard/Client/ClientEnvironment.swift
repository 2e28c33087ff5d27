/// Environment variables of the subcommands that use the HTTP API.
enum ClientEnvironment {
    /// The gateway's URL.
    static let server = "SWITCHBOARD_SERVER"
    /// The admin token itself.
    static let adminToken = "SWITCHBOARD_ADMIN_TOKEN"

    /// All names.
    static let names: Set<String> = [server, adminToken]
}
