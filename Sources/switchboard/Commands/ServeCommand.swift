import ArgumentParser
import Foundation
import Gateway
import GatewayClient
import GatewayModel
import Glibc
import Identity
import Logging
import ServiceLifecycle
import Telemetry
import UnixSignals

/// Runs the gateway.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway.",
        discussion: """
            Without any setting it stores everything in ./data and listens on 127.0.0.1:8080. When it is ready it \
            prints one line on standard output: listening on http://HOST:PORT, or https:// with a certificate; it \
            speaks HTTP/1.1 and HTTP/2 there, unless server.http2 is false. SIGTERM \
            and SIGINT stop it gracefully; a second one stops it at once. SIGHUP reads the log level and the \
            certificate again. Every setting is also an environment variable SWITCHBOARD_<SECTION>_<KEY>. \
            Flags override the environment, the environment overrides the file.

            EXAMPLE
              switchboard serve --listen 127.0.0.1:8080 --data-dir ./data
            """
    )
    @OptionGroup var options: ServeOptions

    /// The longest wait at the end for log lines to be written.
    private static let flushLimit = Duration.seconds(2)

    func run() async throws {
        // A file at its size limit (`ulimit -f`) is handled like a full disk; the signal must not end the process.
        signal(SIGXFSZ, SIG_IGN)
        let loader = options.loader
        let settings = try await loader.load()
        try settings.server.checkExposure()
        let threshold = LogThreshold(settings.log.level)
        // Standard error that is not read, such as a full pipe, must not block an event loop.
        let logs = settings.log.queue("switchboard")
        // Also before the error of a failed start is written.
        defer { logs.flush(within: Self.flushLimit) }
        let logger = settings.log.logger("switchboard", threshold: threshold, sink: logs)
        for unknown in loader.unknownEnvironmentNames(besides: ClientEnvironment.names) {
            logger.warning(
                "an environment variable is not a setting of this version",
                metadata: [LogKey.setting: "\(unknown.name)", LogKey.nearest: "\(unknown.nearest ?? "")"]
            )
        }
        // Before anything is created.
        let certificate = try settings.server.tls.map { try ServerCertificate(files: $0, logger: logger) }
        let gateway = try await Gateway.open(settings: settings, certificate: certificate, logger: logger, logs: logs)
        for warning in DataDirectory(settings: settings).openDirectories {
            logger.warning(
                "other users of this host can read files that are put into the data directory",
                metadata: [LogKey.errorText: "\(warning)"]
            )
        }
        if gateway.adminToken.isNew {
            logger.notice("created admin token and master key", metadata: [LogKey.path: "\(gateway.adminToken.path)"])
            StandardError.write("switchboard: the admin token is in \(gateway.adminToken.path)")
        }
        if settings.server.isExposed {
            logger.notice(
                "server.insecure: listening on a non-loopback address without TLS; a proxy must terminate TLS",
                metadata: [LogKey.address: "\(settings.server.listen)"]
            )
        }
        for app in gateway.directory.appsWithoutLinkHost {
            logger.warning(
                "an app's links are off: their host is not in the brand's linkHosts; an administrator must add it",
                metadata: [
                    LogKey.brand: "\(app.brand)", LogKey.app: "\(app.id)",
                    LogKey.host: "\(app.settings.links?.host ?? "")",
                ]
            )
        }
        let reload = ReloadSignal(
            loader: loader,
            running: settings,
            threshold: threshold,
            certificate: certificate,
            logger: logger
        )
        var others = [ServiceGroupConfiguration.ServiceConfiguration(service: reload)]
        let notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)
        if let notifier { others.append(.init(service: notifier)) }
        // Until the end: the watchdog also watches a shutdown, which waits for responses of providers.
        async let _: Void? = notifier?.feedWatchdog { await Gateway.awaitEventLoops() }
        try await gateway.run(signals: [.sigterm, .sigint], beside: others) { address in
            StandardOutput.write("listening on \(settings.server.scheme)://\(address)")
            await notifier?.notify("READY=1")
        }
    }
}
