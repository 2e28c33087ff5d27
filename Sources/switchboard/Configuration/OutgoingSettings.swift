import Configuration

/// What requests to addresses that brands chose may do: webhooks, JWK sets and token endpoints.
///
/// - `outgoing.allowPrivateAddresses` (true or false, default false)
struct OutgoingSettings: Equatable {
    /// Whether they may reach addresses of private networks (RFC 1918, RFC 4193, RFC 6598).
    ///
    /// For sites whose back-ends or identity providers are beside the gateway; where tenants set their own addresses it
    /// opens the site to them.
    var allowsPrivateAddresses = false

    /// The defaults.
    init() {}

    /// Reads and checks.
    ///
    /// - Parameter config: Flags, environment and file.
    /// - Throws: ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        allowsPrivateAddresses = try await reader.flag(
            .outgoingAllowPrivateAddresses,
            default: allowsPrivateAddresses
        )
    }
}
