import ArgumentParser
import Foundation
import Gateway
import GatewayModel
import Identity
import Logging
import PushProviders
import Telemetry

/// Checks configuration, data, credentials and providers.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check configuration, host, data, credentials, and a connection to the proxy and each provider.",
        discussion: """
            Prints one result per line: configuration, certificate of the API, data, disk, limits, clock, trusted \
            authorities, waiting pushes, canaries, what expires soon, names of providers, proxy, and each lane's credential and \
            connection. The exit status is 1 when a check fails, not for a warning. Sends no push. The \
            data must not be in use by a running gateway. Nothing is created in a directory that has no data yet.

            EXAMPLE
              switchboard check --config switchboard.yaml --json
            """
    )
    @OptionGroup var options: ServeOptions
    @Flag(help: "Print one JSON object per line.") var json = false

    func run() async throws {
        let loader = options.loader
        let settings = try await loader.load()
        var report = CheckReport(json: json)
        report.say("configuration", true, "\(options.config ?? "no file") and the environment are valid")
        for unknown in loader.unknownEnvironmentNames(besides: ClientEnvironment.names) {
            let hint = unknown.nearest.map { "; did you mean \($0)?" } ?? ""
            report.say("configuration", false, "\(unknown.name) is not a setting of this version\(hint)")
        }
        checkListener(settings.server, &report)
        let files = DataDirectory(settings: settings)
        for warning in files.openDirectories { report.warn("data", warning) }
        guard FileManager.default.fileExists(atPath: files.databasePath) else {
            report.say("data", true, "\(settings.server.dataDir) has no data yet; serve creates it")
            return try report.end()
        }
        let logger = settings.log.logger("switchboard", threshold: LogThreshold(.warning))
        let gateway = try await Gateway.open(settings: settings, logger: logger)
        report.say("data", true, "\(files.databasePath) opens, and the master key fits")
        // A certificate that an earlier version stored with its password.
        for app in gateway.directory.allApps { _ = try? await gateway.directory.openApp(brand: app.brand, app: app.id) }
        do {
            for finding in try await gateway.check() { report.say(finding) }
        } catch {
            await gateway.close()
            throw error
        }
        for brand in gateway.directory.brands where gateway.directory.apps(brand: brand.id).isEmpty {
            report.say("brand \(brand.id)", true, "has no apps")
        }
        for app in gateway.directory.appsWithoutLinkHost {
            let host = app.settings.links?.host ?? ""
            report.say(
                "app \(app.brand)/\(app.id)",
                false,
                "its links are off: \(host) is not in the brand's linkHosts"
            )
        }
        for brand in gateway.directory.brands where brand.settings.anonymousMerge == .device {
            report.warn(
                "brand \(brand.id)",
                "anonymousMerge is device: whoever knows a device id can choose data that its next login merges; set it to "
                    + "token when the apps send anonymousToken"
            )
        }
        if let verdict = await gateway.providerFactory.checkProxy() { report.say("proxy", verdict) }
        for lane in gateway.directory.lanes {
            let verdict = await ProviderCheck(factory: gateway.providerFactory).check(lane)
            report.say("\(lane.key)", verdict)
        }
        await gateway.close()
        try report.end()
    }

    private func checkListener(_ server: ServerSettings, _ report: inout CheckReport) {
        do {
            try server.checkExposure()
        } catch {
            report.say("server.listen", false, "\(error)")
        }
        guard let files = server.tls else { return }
        let verdict = ServerCertificate.verdict(files)
        if verdict.isDue {
            report.warn("server.tls", verdict.text + ": renew it")
        } else {
            report.say("server.tls", verdict.isUsable, verdict.text)
        }
    }
}
