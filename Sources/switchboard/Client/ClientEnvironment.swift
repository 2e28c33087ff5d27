/// Environment variables of the verbs that speak the HTTP API.
enum ClientEnvironment {
    /// The gateway's URL.
    static let server = "SWITCHBOARD_SERVER"
    /// The admin token itself.
    static let adminToken = "SWITCHBOARD_ADMIN_TOKEN"

    /// All of them.
    static let names: Set<String> = [server, adminToken]
}
