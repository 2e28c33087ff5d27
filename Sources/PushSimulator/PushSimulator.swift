internal import FoundationEssentials
internal import HTTP2Connections
internal import NIOPosix

/// APNs, FCM, Google's token endpoint and an identity provider on loopback ports: they judge like the real ones and misbehave on request.
///
/// Any thread.
package final class PushSimulator: Sendable {
    /// Certificates and keys.
    package let credentials: SimulatorCredentials
    /// Where APNs listens.
    package let apns: SimulatorAddress
    /// Where FCM and the token endpoint listen.
    package let fcm: SimulatorAddress
    /// Where the control port listens; nil for none.
    package let control: SimulatorAddress?
    /// Gives codes and keys.
    package let identityProvider: SimulatedIdentityProvider
    /// The list of pushes; stays empty in quiet mode.
    package let log: PushLog

    private let core: SimulatorCore
    private let servers: [HTTP2Server]
    private let controlServer: ControlServer?
    private let isTemporary: Bool

    private init(
        credentials: SimulatorCredentials,
        core: SimulatorCore,
        log: PushLog,
        identityProvider: SimulatedIdentityProvider,
        apns: OpenPort,
        fcm: OpenPort,
        controlServer: ControlServer?,
        isTemporary: Bool
    ) {
        self.credentials = credentials
        self.core = core
        self.log = log
        self.identityProvider = identityProvider
        self.apns = apns.address
        self.fcm = fcm.address
        self.control = controlServer?.address
        self.servers = [apns.server, fcm.server]
        self.controlServer = controlServer
        self.isTemporary = isTemporary
    }

    /// Opens the ports.
    ///
    /// Blocks for moments on files and on making keys.
    ///
    /// - Parameter configuration: Ports, folder, limits.
    /// - Returns: The running simulator; it must be stopped.
    /// - Throws: ``SimulatorError`` when a port cannot be opened or the credentials cannot be used.
    package static func start(
        _ configuration: SimulatorConfiguration = SimulatorConfiguration()
    ) async throws(SimulatorError) -> PushSimulator {
        let folder = configuration.certificates ?? Self.temporaryFolder()
        let credentials = try SimulatorCredentials(folder: folder)
        let log = PushLog(limit: configuration.keptPushes)
        let core = SimulatorCore(
            log: configuration.isQuiet ? nil : log,
            group: MultiThreadedEventLoopGroup.singleton,
            clock: configuration.clock
        )
        let identityProvider = SimulatedIdentityProvider(
            clientID: configuration.clientID,
            clientSecret: configuration.clientSecret
        )
        var running: [HTTP2Server] = []
        do throws(SimulatorError) {
            let apns = try await Self.startAPNs(configuration, credentials, core)
            running.append(apns.server)
            let fcm = try await Self.startFCM(configuration, credentials, core, identityProvider)
            running.append(fcm.server)
            var control: ControlServer?
            if let address = configuration.control {
                control = try await ControlServer.start(
                    at: address,
                    handlers: ControlHandlers(core: core, log: log, identityProvider: identityProvider),
                    logger: configuration.logger
                )
            }
            return PushSimulator(
                credentials: credentials,
                core: core,
                log: log,
                identityProvider: identityProvider,
                apns: apns,
                fcm: fcm,
                controlServer: control,
                isTemporary: configuration.certificates == nil
            )
        } catch {
            for server in running { await server.shutdown() }
            if configuration.certificates == nil { try? FileManager.default.removeItem(atPath: folder) }
            throw error
        }
    }

    /// Closes the ports, ends all waiting, and removes a temporary folder.
    ///
    /// Calling twice is allowed.
    package func stop() async {
        self.log.close()
        await self.controlServer?.stop()
        for server in self.servers { await server.shutdown() }
        if self.isTemporary { try? FileManager.default.removeItem(atPath: self.credentials.folder) }
    }

    /// The pushes that are kept, in order of arrival.
    package var pushes: [SimulatedPush] { self.log.pushes() }

    /// Waits for a push.
    ///
    /// - Parameters:
    ///   - number: Pushes up to this number are passed over.
    ///   - limit: How long at most.
    ///   - isWanted: Which push is waited for.
    /// - Returns: The first that fits.
    /// - Throws: ``SimulatorError/notEnoughPushes(expected:received:)`` when time is up or the simulator stops.
    package func waitForPush(
        after number: Int = 0,
        within limit: Duration = .seconds(10),
        matching isWanted: (SimulatedPush) -> Bool = { _ in true }
    ) async throws(SimulatorError) -> SimulatedPush {
        let deadline = ContinuousClock.now + limit
        var seen = number
        while true {
            // Before the list is read, and not only from it: it may be cleared meanwhile.
            let last = self.log.lastNumber
            let pushes = self.log.pushes(after: seen)
            if let push = pushes.first(where: isWanted) { return push }
            seen = max(seen, last, pushes.last?.number ?? 0)
            let hasMore = await self.log.wait(forNumber: seen + 1, within: deadline - ContinuousClock.now)
            guard hasMore else { throw .notEnoughPushes(expected: seen + 1, received: self.log.lastNumber) }
        }
    }

    /// Puts other rules in force, with fresh counters.
    ///
    /// - Parameter rules: In order of precedence; none makes the simulator behave.
    package func setRules(_ rules: [SimulatorRule]) {
        self.core.replaceRules(with: RuleBook(rules))
    }

    /// The rules in force.
    package var rules: [SimulatorRule] { self.core.currentRules }

    /// What was counted since the start.
    package var statistics: SimulatorStatistics { self.core.statistics }

    /// The address of the token endpoint as the service account's file has it.
    package var tokenURI: String { Self.tokenURI(at: self.fcm) }

    private static func temporaryFolder() -> String {
        SimulatorCredentials.path(
            "push-simulator-\(RandomID.hexadecimal(8))",
            in: FileManager.default.temporaryDirectory.path
        )
    }
}
