import Delivery
import Foundation
import GatewayClient
import GatewayHTTP
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Hummingbird
package import Identity
import IdentityProviders
package import Logging
import Messaging
import NIOCore
import NIOPosix
import Outbound
package import PushProviders
package import ServiceLifecycle
import TLS
package import Telemetry
package import UnixSignals

/// A gateway with all its parts: store, directory, delivery, providers and HTTP.
package final class Gateway: Sendable {
    /// The file of the admin token, and whether this start created it.
    package let adminToken: (path: String, isNew: Bool)
    /// Brands, apps and credentials.
    package var directory: Directory { services.directory }
    /// The factory of the push providers.
    package var providerFactory: PushProviderFactory { providers.factory }

    let settings: GatewaySettings
    /// The certificate of the API; nil for plain HTTP.
    private let certificate: ServerCertificate?
    let store: any GatewayStore
    let services: GatewayServices
    private let server: GatewayServer
    private let providers: GatewayProviders
    private let outbound: GatewayOutbound
    private let traces: GatewayTraces?
    private let identityProviders: GuardedHTTPClient
    private let registry: PrometheusRegistry
    let names: GatewayNames
    /// The ports of the listeners; a port that the system chooses is added once it is known.
    private let ownPorts: OwnPorts

    private var logger: Logger { services.logger }

    private init(
        adminToken: (path: String, isNew: Bool),
        settings: GatewaySettings,
        certificate: ServerCertificate?,
        store: any GatewayStore,
        services: GatewayServices,
        server: GatewayServer,
        providers: GatewayProviders,
        outbound: GatewayOutbound,
        traces: GatewayTraces?,
        identityProviders: GuardedHTTPClient,
        registry: PrometheusRegistry,
        names: GatewayNames,
        ownPorts: OwnPorts
    ) {
        self.adminToken = adminToken
        self.settings = settings
        self.certificate = certificate
        self.store = store
        self.services = services
        self.server = server
        self.providers = providers
        self.outbound = outbound
        self.traces = traces
        self.identityProviders = identityProviders
        self.registry = registry
        self.names = names
        self.ownPorts = ownPorts
    }

    /// Opens the data directory and its content; does not listen or send yet; throws ``CommandFailure``.
    ///
    /// The API has no certificate in plain HTTP and in a gateway that does not listen. Lines that `logs` dropped are
    /// counted.
    package static func open(
        settings: GatewaySettings,
        certificate: ServerCertificate? = nil,
        logger: Logger,
        logs: LogQueue? = nil
    ) async throws -> Gateway {
        // Files of this process are not readable by group and others.
        umask(0o077)
        let clock = SystemClock()
        let files = DataDirectory(settings: settings)
        let proxy = try OutboundProxy(settings: settings.provider)
        let operatorWebhook = try OperatorWebhookTarget(
            settings.operators,
            policy: settings.outgoing.policy(ownPorts: OwnPorts())
        )
        let collector = try TraceCollector(settings.telemetry)
        try files.prepare()
        let token = try files.readAdminToken()
        try files.makeMasterKey()
        let registry = PrometheusRegistry()
        let process = ProcessMetrics(factory: registry)
        registry.addCollector { process.collect() }
        if let logs {
            let metrics = LogMetrics(factory: registry)
            registry.addCollector { metrics.record(droppedLines: logs.droppedLines) }
        }

        let store = try files.openStore(logger: logger)
        let keeper: ClockKeeper
        let directory: Directory
        do {
            keeper = try await openClock(store: store, system: clock, files, logger)
            directory = try await files.loadDirectory(store: store, clock: keeper.clock, logger: logger).directory
        } catch {
            await store.close()
            throw error
        }
        let clockMetrics = ClockMetrics(factory: registry)
        registry.addCollector { keeper.record(in: clockMetrics) }
        let ownPorts = OwnPorts()
        ownPorts.add(settings.server.listen.port)
        if let metrics = settings.metrics.listen { ownPorts.add(metrics.port) }
        let policy = settings.outgoing.policy(ownPorts: ownPorts)
        let names = GatewayNames()
        let limits = connectionLimits(settings, logger)
        let providers: GatewayProviders
        do {
            providers = try await GatewayProviders(
                settings: settings,
                maxConnections: limits.providers,
                names: names,
                policy: policy,
                proxy: proxy,
                clock: clock,
                registry: registry,
                logger: logger
            )
        } catch {
            await store.close()
            throw error
        }
        let opener = AppOpener(directory: directory)
        // Nothing below throws: its client must be closed.
        let traces = collector.map {
            GatewayTraces($0, settings: settings, proxy: proxy, clock: clock, registry: registry, logger: logger)
        }
        let delivery = DeliveryService(
            store: store,
            directory: directory,
            makeProvider: { lane, source in
                guard try opener.isOpen(lane.key) else { return nil }
                return try providers.factory.make(lane: lane.key, app: lane.app, brand: lane.brand, source: source)
            },
            settings: settings.delivery,
            clock: keeper.clock,
            metrics: DeliveryMetrics(factory: registry),
            logger: logger,
            tracer: traces?.tracer
        )
        registry.addCollector { delivery.recordGauges() }
        keeper.onEnd { delivery.expireAgain() }
        let outbound = GatewayOutbound(
            store: store,
            directory: directory,
            settings: settings,
            resolver: names.webhooks,
            policy: policy,
            proxy: proxy,
            operatorWebhook: operatorWebhook,
            registry: registry,
            logger: logger
        )
        let identityProviders = identityProviderClient(settings, names, policy, proxy)
        let services = GatewayServices(
            store: store,
            delivery: delivery,
            directory: directory,
            admin: token.token,
            clock: keeper.clock,
            hostClock: clock,
            keeper: keeper,
            identityProviders: identityProviders,
            outbound: outbound.services,
            windowLimits: limits.windows,
            operatorProvider: settings.operators.provider,
            makeProvider: { lane, app, brand, source throws(PushCredentialError) in
                try providers.factory.make(lane: lane, app: app, brand: brand, source: source)
            },
            serverCertificateEndsAt: { certificate?.expiresAt },
            metrics: registry,
            renderMetrics: { registry.render(openMetrics: $0) },
            logger: logger
        )
        let objectives = ConditionMetrics<ObjectiveReport.Condition>(MetricCatalogue.objectives, factory: registry)
        let canaries = ConditionMetrics<CanaryStatus.Condition>(MetricCatalogue.canaries, factory: registry)
        registry.addCollector { canaries.record(services.canaries.all.map(\.status.condition)) }
        registry.addCollector { objectives.record(ObjectiveReport.all(of: directory, delivery).map(\.condition)) }
        return Gateway(
            adminToken: (files.adminTokenPath, token.isNew),
            settings: settings,
            certificate: certificate,
            store: store,
            services: services,
            server: GatewayServer(services: services, limits: limits.server),
            providers: providers,
            outbound: outbound,
            traces: traces,
            identityProviders: identityProviders,
            registry: registry,
            names: names,
            ownPorts: ownPorts
        )
    }

    private static func openClock(
        store: any ClockStore & HealthStore,
        system: any GatewayClock,
        _ files: DataDirectory,
        _ logger: Logger
    ) async throws(CommandFailure) -> ClockKeeper {
        do {
            return try await ClockKeeper.open(store: store, system: system, logger: logger)
        } catch {
            throw CommandFailure(error, path: files.databasePath)
        }
    }

    /// Makes the client for the identity providers of brands; sends no request yet.
    private static func identityProviderClient(
        _ settings: GatewaySettings,
        _ names: GatewayNames,
        _ policy: AddressPolicy,
        _ proxy: OutboundProxy?
    ) -> GuardedHTTPClient {
        GuardedHTTPClient(
            resolver: names.identity,
            trustRootsFile: settings.provider.trustRoots,
            policy: policy,
            proxy: proxy,
            // A code must not be lost on a connection that its provider has just closed; keys are read too seldom to
            // benefit.
            maxIdle: 0
        )
    }

    /// Returns the limits of the server, of windows and of provider connections, reduced to fit the descriptor limit.
    private static func connectionLimits(_ settings: GatewaySettings, _ logger: Logger) -> ConnectionLimits {
        let limits = ConnectionLimits(settings, descriptors: DescriptorLimit.raise())
        if limits.providers < settings.provider.maxConnections {
            logger.notice(
                "provider.maxConnections is reduced: the file descriptor limit is too low (ulimit -n)",
                metadata: [LogKey.limit: "\(limits.descriptors)", LogKey.count: "\(limits.providers)"]
            )
        }
        if limits.server.maxConnections < settings.server.limits.maxConnections {
            logger.notice(
                "server.maxConnections is reduced: the file descriptor limit is too low (ulimit -n)",
                metadata: [LogKey.limit: "\(limits.descriptors)", LogKey.count: "\(limits.server.maxConnections)"]
            )
        }
        return limits
    }

    /// Listens and delivers until a signal arrives or the service group of the task shuts down; then shuts down
    /// gracefully and closes everything.
    ///
    /// The other services stop before the gateway. `onListening` is called once with the bound address.
    ///
    /// - Throws: ``CommandFailure``, or what a service threw.
    package func run(
        signals: [UnixSignal],
        beside others: [ServiceGroupConfiguration.ServiceConfiguration],
        onListening: @escaping @Sendable (ListenAddress) async -> Void
    ) async throws {
        let (delivery, keeper) = (services.delivery, services.keeper)
        do {
            let start = try await delivery.start(mayExpire: !keeper.isGuarded)
            logger.notice(
                "started",
                metadata: [
                    LogKey.version: "\(Version.text)", LogKey.incarnation: "\(start.incarnation)",
                    LogKey.count: "\(start.recovered)", LogKey.path: "\(settings.server.dataDir)",
                ]
            )
        } catch {
            await close()
            throw CommandFailure(error, path: DataDirectory(settings: settings).databasePath)
        }
        let monitor = ResourceMonitor(
            delivery: delivery,
            files: DataDirectory(settings: settings),
            minFreeBytes: settings.storage.minFreeMegabytes << 20,
            metrics: HostMetrics(factory: registry),
            logger: logger
        )
        // Before the listener accepts connections.
        delivery.report(monitor.check())
        let housekeeper = Housekeeper(
            store: store,
            delivery: delivery,
            brands: { [directory] in directory.brands },
            settings: settings.housekeeping,
            // A jump of the system clock must not expire deliveries, nor data with a retention of years.
            clock: keeper.clock,
            keeper: keeper,
            metrics: HousekeepingMetrics(factory: registry),
            logger: logger
        )
        let certificates = certificateMonitor()
        // Later ones depend on earlier ones and stop first: listeners, then housekeeping, then deliveries.
        var list: [any Service] = traces.map { [$0.exporter] } ?? []
        list += [
            keeper, delivery, housekeeper, monitor, certificates, canaryFile(), services.canaries, outbound.webhooks,
            apiListener(onListening),
        ]
        if let (webhook, sender) = outbound.operators {
            let conditions = OperatorConditions(
                directory: directory,
                delivery: delivery,
                canaries: services.canaries,
                webhooks: outbound.webhooks,
                certificate: certificate
            )
            list.append(OperatorMonitor(webhook: webhook, sender: sender, conditions: conditions))
        }
        // Before the listener, which waits for the long-polling readers of the feed.
        list.append(outbound.readers)
        if let certificate { list.append(certificate) }
        if let address = settings.metrics.listen { list.append(metricsListener(address)) }
        let secondSignal = SecondSignal(logger: logger)
        // Its signal handlers end with it, and a store that hangs would block the closing below.
        defer { withExtendedLifetime(secondSignal) {} }
        list.append(secondSignal)
        var configuration = ServiceGroupConfiguration(
            // A failed service also shuts the others down gracefully: results in flight are still recorded.
            services: list.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) } + others,
            gracefulShutdownSignals: signals,
            logger: quietLogger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(settings.delivery.drainDeadlineSeconds + 10)
        let result: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await close()
        logger.notice("stopped")
        try result.get()
    }

    private func canaryFile() -> CanaryFile {
        CanaryFile(path: DataDirectory(settings: settings).canariesPath) { [canaries = services.canaries] in
            canaries.all.map { ("\($0.lane)", $0.status.verdict) }
        }
    }

    private func certificateMonitor() -> CertificateMonitor {
        let metrics = CertificateMetrics<CertificateExpiry>(factory: registry)
        registry.addCollector { [certificate] in metrics.record(serverExpiresAt: certificate?.expiresAt) }
        let monitor = CertificateMonitor(
            clock: SystemClock(),
            metrics: metrics,
            logger: logger,
            credentials: { [directory] in directory.credentialExpiries },
            subjects: { [directory] in
                directory.allApps.compactMap { app in
                    app.certificate.map {
                        CertificateExpiryWatch.Subject(brand: app.brand, app: app.id, certificate: $0)
                    }
                }
            }
        )
        directory.onChange { _ in monitor.check() }
        return monitor
    }

    /// Returns once each event loop has run a task: a response of `/livez` needs no more.
    ///
    /// It uses no connection: at the limit of connections the gateway need not be restarted.
    package static func awaitEventLoops() async {
        for eventLoop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try? await eventLoop.submit {}.get()
        }
    }

    /// Closes all resources.
    package func close() async {
        await services.publishedKeys.close()
        await identityProviders.close()
        await providers.close()
        await traces?.close()
        names.shutdown()
        await store.close()
    }

    private func apiListener(_ onListening: @escaping @Sendable (ListenAddress) async -> Void) -> any Service {
        let address = settings.server.listen
        let isListening = ListeningFlag()
        var tls: (@Sendable () -> TLSServerContext)?
        if let certificate { tls = { certificate.context } }
        let application = server.buildApplication(
            host: address.host,
            port: address.port,
            onServerRunning: { [ownPorts] channel in
                isListening.set()
                let port = channel.localAddress?.port ?? address.port
                ownPorts.add(port)
                await onListening(ListenAddress(host: address.host, port: port))
            },
            isHTTP2Spoken: settings.server.isHTTP2Spoken,
            tls: tls
        )
        return HTTPListener(application: application, address: address, isListening: isListening)
    }

    private func metricsListener(_ address: ListenAddress) -> any Service {
        let isListening = ListeningFlag()
        let application = server.buildApplication(
            router: server.makeMonitoringRouter(),
            host: address.host,
            port: address.port
        ) { [ownPorts] channel in
            isListening.set()
            ownPorts.add(channel.localAddress?.port ?? address.port)
        }
        return HTTPListener(application: application, address: address, isListening: isListening)
    }

    /// A logger for libraries, without their info lines, which repeat the gateway's own.
    private var quietLogger: Logger {
        var quiet = logger
        quiet.logLevel = max(quiet.logLevel, .warning)
        return quiet
    }
}
