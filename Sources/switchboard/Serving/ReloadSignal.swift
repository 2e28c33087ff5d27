import Logging
import ServiceLifecycle
import Telemetry
import UnixSignals

/// Reads the settings again at SIGHUP, takes over what can be changed while running, and says what cannot.
struct ReloadSignal: Service {
    /// Where settings come from.
    let loader: SettingsLoader
    /// What the process runs with.
    let running: GatewaySettings
    /// The one thing that can be changed.
    let threshold: LogThreshold
    /// For what operators should know.
    let logger: Logger

    func run() async throws {
        for await signal in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            await reload(signal)
        }
    }

    private func reload(_ signal: UnixSignal) async {
        do {
            let settings = try await loader.load()
            threshold.level = settings.log.level
            logger.notice(
                "settings were read again",
                metadata: [
                    LogKey.signal: "\(signal)", LogKey.level: "\(settings.log.level)",
                    LogKey.needsRestart: .array(Self.needingRestart(running, settings).map { "\($0)" }),
                ]
            )
        } catch {
            logger.error("settings were not taken over", metadata: [LogKey.errorText: "\(error)"])
        }
    }

    /// Which parts differ and only come with a restart.
    ///
    /// - Parameters:
    ///   - running: What the process runs with.
    ///   - read: What was read.
    /// - Returns: Sections, or keys where a section can be changed in part.
    static func needingRestart(_ running: GatewaySettings, _ read: GatewaySettings) -> [String] {
        [
            ("server", running.server == read.server), ("storage", running.storage == read.storage),
            ("provider", running.provider == read.provider),
            ("outgoing", running.outgoing == read.outgoing),
            ("intake, delivery", running.delivery == read.delivery),
            ("retention", running.housekeeping == read.housekeeping), ("window", running.window == read.window),
            ("log.format", running.log.format == read.log.format), ("metrics", running.metrics == read.metrics),
        ].filter { !$0.1 }.map(\.0)
    }
}
