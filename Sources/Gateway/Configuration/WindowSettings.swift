import Configuration
import Messaging

/// Messaging windows.
///
/// - `window.idleLimitSeconds` (seconds, 2 to 3,600, default 60)
/// - `window.maxOpen` (windows, 1 to 1,000,000, default 20,000, or what the descriptor limit leaves)
struct WindowSettings: Equatable {
    /// The limits of messaging windows.
    var limits = WindowLimits()

    /// The defaults.
    init() {}

    /// Reads and checks; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        limits.idleSeconds = try await reader.integer(
            .windowIdleLimitSeconds,
            in: 2...3600,
            default: limits.idleSeconds
        )
        limits.maxOpen = try await reader.integer(.windowMaxOpen, in: 1...1_000_000, default: limits.maxOpen)
    }
}
