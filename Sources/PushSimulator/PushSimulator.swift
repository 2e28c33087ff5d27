internal import FoundationEssentials
internal import HTTP2Connections
internal import NIOPosix

/// APNs, FCM, Google's token endpoint, an identity provider, Talkdesk's token service and Chatwoot's API on loopback
/// ports: they validate like the real ones, and rules make them fail.
///
/// Any thread.
package final class PushSimulator: Sendable {
    /// Certificates and keys.
    package let credentials: SimulatorCredentials
    /// The listening address of APNs.
    package let apns: SimulatorAddress
    /// The listening address of FCM and the token endpoint.
    package let fcm: SimulatorAddress
    /// The address of the control port; nil for none.
    package let control: SimulatorAddress?
    /// The identity provider.
    package let identityProvider: SimulatedIdentityProvider
    /// Talkdesk, on the control port.
    package let talkdesk: SimulatedTalkdesk
    /// Chatwoot's API, on the control port.
    package let chatwoot: SimulatedChatwootAPI
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
        talkdesk: SimulatedTalkdesk,
        chatwoot: SimulatedChatwootAPI,
        apns: OpenPort,
        fcm: OpenPort,
        controlServer: ControlServer?,
        isTemporary: Bool
    ) {
        self.credentials = credentials
        self.core = core
        self.log = log
        self.identityProvider = identityProvider
        self.talkdesk = talkdesk
        self.chatwoot = chatwoot
        self.apns = apns.address
        self.fcm = fcm.address
        self.control = controlServer?.address
        self.servers = [apns.server, fcm.server]
        self.controlServer = controlServer
        self.isTemporary = isTemporary
    }

    /// Starts a simulator.
    ///
    /// Blocks shortly on files and key generation.
    ///
    /// - Parameter configuration: The ports, folder and limits.
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
        let (talkdesk, chatwoot) = (SimulatedTalkdesk(), SimulatedChatwootAPI())
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
                    handlers: ControlHandlers(
                        core: core,
                        log: log,
                        identityProvider: identityProvider,
                        talkdesk: talkdesk,
                        chatwoot: chatwoot
                    ),
                    logger: configuration.logger
                )
            }
            return PushSimulator(
                credentials: credentials,
                core: core,
                log: log,
                identityProvider: identityProvider,
                talkdesk: talkdesk,
                chatwoot: chatwoot,
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

    /// Closes the ports, ends all waits, and removes a temporary folder.
    ///
    /// Calling twice is allowed.
    package func stop() async {
        self.log.close()
        await self.controlServer?.stop()
        for server in self.servers { await server.shutdown() }
        if self.isTemporary { try? FileManager.default.removeItem(atPath: self.credentials.folder) }
    }

    /// The stored pushes, in order of arrival.
    package var pushes: [SimulatedPush] { self.log.pushes() }

    /// Waits for a push.
    ///
    /// - Parameters:
    ///   - number: Pushes up to this number are skipped.
    ///   - limit: The timeout.
    ///   - isWanted: Whether a push matches.
    /// - Returns: The first matching push.
    /// - Throws: ``SimulatorError/notEnoughPushes(expected:received:)`` on timeout or when the simulator stops.
    package func waitForPush(
        after number: Int = 0,
        within limit: Duration = .seconds(10),
        matching isWanted: (SimulatedPush) -> Bool = { _ in true }
    ) async throws(SimulatorError) -> SimulatedPush {
        let deadline = ContinuousClock.now + limit
        var seen = number
        while true {
            // Read before the list, not only from it: the list may be cleared meanwhile.
            let last = self.log.lastNumber
            let pushes = self.log.pushes(after: seen)
            if let push = pushes.first(where: isWanted) { return push }
            seen = max(seen, last, pushes.last?.number ?? 0)
            let hasMore = await self.log.wait(forNumber: seen + 1, within: deadline - ContinuousClock.now)
            guard hasMore else { throw .notEnoughPushes(expected: seen + 1, received: self.log.lastNumber) }
        }
    }

    /// Replaces the rules and resets their counters.
    ///
    /// - Parameter rules: The rules in order of precedence; empty for normal behaviour.
    package func setRules(_ rules: [SimulatorRule]) {
        self.core.replaceRules(with: RuleBook(rules))
    }

    /// The current rules.
    package var rules: [SimulatorRule] { self.core.currentRules }

    /// The counts since the start.
    package var statistics: SimulatorStatistics { self.core.statistics }

    /// The URL of the token endpoint in the service account's file.
    package var tokenURI: String { Self.tokenURI(at: self.fcm) }

    private static func temporaryFolder() -> String {
        SimulatorCredentials.path(
            "push-simulator-\(RandomID.hexadecimal(8))",
            in: FileManager.default.temporaryDirectory.path
        )
    }
}
