import Gateway
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
    /// The log level, the only setting whose value can change at run time.
    let threshold: LogThreshold
    /// The certificate of the API, whose files are read again; nil for plain HTTP.
    let certificate: ServerCertificate?
    /// The logger for the result.
    let logger: Logger

    func run() async throws {
        for await signal in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            await reload(signal)
            certificate?.reload()
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
                    LogKey.needsRestart: .array(running.partsNeedingRestart(in: settings).map { "\($0)" }),
                ]
            )
        } catch {
            logger.error("settings not reloaded; keeping the current ones", metadata: [LogKey.errorText: "\(error)"])
        }
    }
}
