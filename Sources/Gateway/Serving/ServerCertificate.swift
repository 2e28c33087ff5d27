import Foundation
package import GatewayClient
package import GatewayModel
package import Logging
import ServiceLifecycle
import Synchronization
import TLS
import Telemetry

/// The certificate of the HTTP API, which is replaced while the gateway runs.
///
/// A connection keeps the certificate with which it began. Any task may use it; its files are never read on an event
/// loop.
package final class ServerCertificate: Service {
    /// The content of the files, ready for use.
    struct Loaded {
        var context: TLSServerContext
        /// The end of the certificate's validity.
        var expiresAt: Timestamp
    }

    /// The properties of a file that change when it is replaced.
    struct Stamp: Equatable {
        /// The path without symbolic links, which is another one after a link was changed.
        var path: String
        var modified: Date?
        var file: UInt64?
        var bytes: UInt64?
    }

    private struct State {
        var loaded: Loaded
        /// The stamps of the last reading, whether it succeeded or not.
        var tried: [Stamp?]
        /// The stamps of the last check.
        var seen: [Stamp?]
        /// Whether the warning about the end of its validity was logged.
        var isWarned = false
    }

    /// The time between two checks of the files: a renewed certificate is in use within two of them.
    private static let checkInterval = Duration.seconds(30)
    /// The days before the end of its validity when a certificate should have been renewed: Let's Encrypt's are renewed
    /// 30 days before, those with a short life later.
    private static let warningDays: Int64 = 7

    private let files: ServerTLSSettings
    private let clock: any GatewayClock
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the files; throws ``CommandFailure`` when they cannot be used.
    package init(
        files: ServerTLSSettings,
        clock: any GatewayClock = SystemClock(),
        logger: Logger
    ) throws(CommandFailure) {
        let stamps = Self.stamps(files)
        let loaded = try Self.load(files, now: clock.now)
        self.files = files
        self.clock = clock
        self.logger = logger
        state = Mutex(State(loaded: loaded, tried: stamps, seen: stamps))
    }

    /// The TLS settings of the next connection.
    var context: TLSServerContext { state.withLock { $0.loaded.context } }
    /// The end of the certificate's validity.
    var expiresAt: Timestamp { state.withLock { $0.loaded.expiresAt } }

    /// Checks the files and the end of the validity until the service group shuts down.
    package func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            checkFiles()
            checkExpiry()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.checkInterval) }
        }
    }

    /// Reads the files again; if they cannot be used, the certificate stays and an error is logged.
    package func reload() {
        let stamps = Self.stamps(files)
        do throws(CommandFailure) {
            let loaded = try Self.load(files, now: clock.now)
            state.withLock { $0 = State(loaded: loaded, tried: stamps, seen: stamps) }
            logger.notice(
                "the certificate of the API was read again; new connections use it",
                metadata: [
                    LogKey.path: "\(files.certificate)",
                    LogKey.certificateExpiry: "\(loaded.expiresAt)",
                ]
            )
            checkExpiry()
        } catch {
            state.withLock { $0.tried = stamps }
            logger.error(
                "the certificate of the API cannot be replaced; the previous one stays in use",
                metadata: [LogKey.path: "\(files.certificate)", LogKey.errorText: "\(error.message)"]
            )
        }
    }

    /// Reads the files again if they have changed, and not since the last check: a program that replaces them may be
    /// between two of them.
    func checkFiles() {
        let stamps = Self.stamps(files)
        let isDue = state.withLock { state in
            defer { state.seen = stamps }
            return stamps != state.tried && stamps == state.seen
        }
        if isDue { reload() }
    }

    private func checkExpiry() {
        let now = clock.now
        let expiresAt = state.withLock { state -> Timestamp? in
            let isSoon = state.loaded.expiresAt < now.adding(seconds: Self.warningDays * 86_400)
            guard isSoon, !state.isWarned else { return nil }
            state.isWarned = true
            return state.loaded.expiresAt
        }
        guard let expiresAt else { return }
        logger.warning(
            "the certificate of the API expires soon; renew it",
            metadata: [LogKey.path: "\(files.certificate)", LogKey.certificateExpiry: "\(expiresAt)"]
        )
    }

    // MARK: Reading

    /// Reads files and checks that they can be used now; throws ``CommandFailure`` that names the setting, the file and
    /// the error.
    static func load(_ files: ServerTLSSettings, now: Timestamp) throws(CommandFailure) -> Loaded {
        let identity = TLSIdentity(
            certificateChainPEM: try content(.serverTLSCertificate, files.certificate),
            privateKeyPEM: try content(.serverTLSKey, files.key)
        )
        var authorities: [UInt8]?
        if let clientCA = files.clientCA { authorities = try content(.serverTLSClientCA, clientCA) }
        let context: TLSServerContext
        do {
            context = try TLSServerContext(
                identity: identity,
                clientAuthoritiesPEM: authorities,
                applicationProtocols: files.offersHTTP2 ? [.http2, .http1] : [.http1]
            )
        } catch {
            throw CommandFailure(.usage, "\(files.paths.joined(separator: ", ")) cannot be used: \(error)")
        }
        let start = Timestamp(milliseconds: 0).adding(seconds: context.validFrom)
        let end = Timestamp(milliseconds: 0).adding(seconds: context.validUntil)
        guard now < end else { throw unusable(files.certificate, "expired on \(end)") }
        guard start <= now else { throw unusable(files.certificate, "is not valid before \(start)") }
        return Loaded(context: context, expiresAt: end)
    }

    /// Returns whether files can be used, whether the certificate should be renewed, and the finding, for `check`.
    package static func verdict(
        _ files: ServerTLSSettings,
        clock: any GatewayClock = SystemClock()
    ) -> (isUsable: Bool, isDue: Bool, text: String) {
        do throws(CommandFailure) {
            let now = clock.now
            let loaded = try load(files, now: now)
            let days = (loaded.expiresAt.seconds - now.seconds) / 86_400
            let text = "\(files.certificate) fits its key and expires in \(days) days, on \(loaded.expiresAt)"
            return (true, days < warningDays, text)
        } catch {
            return (false, false, error.message)
        }
    }

    private static func unusable(_ path: String, _ text: String) -> CommandFailure {
        CommandFailure(.usage, "\(SettingKey.serverTLSCertificate.rawValue): the certificate in \(path) \(text)")
    }

    private static func content(_ key: SettingKey, _ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            return try Array(Data(contentsOf: URL(filePath: path)))
        } catch {
            throw CommandFailure(.usage, "\(key.rawValue): \(path) cannot be read: \(SettingsLoader.reason(error))")
        }
    }

    private static func stamps(_ files: ServerTLSSettings) -> [Stamp?] {
        files.paths.map { path in
            let path = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
            guard let facts = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
            return Stamp(
                path: path,
                modified: facts[.modificationDate] as? Date,
                file: (facts[.systemFileNumber] as? NSNumber)?.uint64Value,
                bytes: (facts[.size] as? NSNumber)?.uint64Value
            )
        }
    }
}
