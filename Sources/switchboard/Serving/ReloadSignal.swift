import Logging
import ServiceLifecycle
import Telemetry
import UnixSignals

/// Reloads the settings at SIGHUP, applies those that can change at run time, and logs those that cannot.
struct ReloadSignal: Service {
    /// The loader of settings.
    let loader: SettingsLoader
    /// The settings in use.
    let running: GatewaySettings
    /// The log level, the only setting that can change at run time.
    let threshold: LogThreshold
    /// The logger for the result.
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
                "settings reloaded",
                metadata: [
                    LogKey.signal: "\(signal)", LogKey.level: "\(settings.log.level)",
                    LogKey.needsRestart: .array(Self.needingRestart(running, settings).map { "\($0)" }),
                ]
            )
        } catch {
            logger.error("settings not reloaded; keeping the current ones", metadata: [LogKey.errorText: "\(error)"])
        }
    }

    /// Returns the changed parts that need a restart.
    ///
    /// - Parameters:
    ///   - running: The settings in use.
    ///   - read: The reloaded settings.
    /// - Returns: Sections, or keys if part of the section can change at run time.
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
