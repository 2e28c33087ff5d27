import FoundationEssentials
package import GatewayModel
package import GuardedHTTP
import HTTP2Connections
package import HTTPTransfers
package import Logging
package import NIOCore
import NIOPosix
import PushPayloads
package import TLS
package import Telemetry

/// Creates the providers of a process, which share trust roots, provider tokens and access tokens.
///
/// Any thread.
package final class PushProviderFactory: Sendable {
    private let group: any EventLoopGroup
    private let httpClient: TransferClient
    private let tls: TLSClientContext
    private let clock: any GatewayClock
    private let metrics: ProviderMetrics?
    private let logger: Logger
    private let configuration: PushProviderConfiguration
    private let signers = ProviderTokenSigners()
    private let accessTokens: AccessTokenSources
    private let proxy: OutboundProxy?
    private let tenants: GuardedHTTPClient?
    private let names: (any HostResolver)?
    private let budget: HTTP2ConnectionBudget
    private let proxySlots: PushProxySlots

    /// Creates a factory.
    ///
    /// Reads the trust roots: call it at startup, not on an event loop.
    ///
    /// - Parameters:
    ///   - eventLoopGroup: A `MultiThreadedEventLoopGroup`; lanes are spread over its loops.
    ///   - trustRootsFile: A PEM file of further roots beside the system's (`provider.trustRoots`).
    ///   - httpClient: For token endpoints that the instance's administrator set. Not closed here.
    ///   - proxy: The outbound proxy; nil connects directly.
    ///   - tenants: The client for token endpoints that tenants set and for push proxies, which also checks the
    ///     addresses of tenants' other endpoints; nil rejects all of them. Not closed here.
    ///   - names: The resolver for all other endpoints; nil uses the system's on one queue for each event loop, where a
    ///     lookup that hangs blocks the others.
    ///   - clock: The clocks.
    ///   - metrics: The metrics of connections and streams; nil for none.
    ///   - logger: Only `debug` and `trace` are written.
    ///   - configuration: Limits.
    /// - Throws: `TLSFailure` when the trust roots cannot be used.
    package init(
        eventLoopGroup: any EventLoopGroup,
        trustRootsFile: String?,
        httpClient: TransferClient,
        proxy: OutboundProxy? = nil,
        tenants: GuardedHTTPClient? = nil,
        names: (any HostResolver)? = nil,
        clock: any GatewayClock,
        metrics: ProviderMetrics? = nil,
        logger: Logger,
        configuration: PushProviderConfiguration = PushProviderConfiguration()
    ) throws(TLSFailure) {
        group = eventLoopGroup
        self.httpClient = httpClient
        tls = try TLSClientContext(trustRootsFile: trustRootsFile)
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        self.configuration = configuration
        self.proxy = proxy
        self.tenants = tenants
        self.names = names
        budget = HTTP2ConnectionBudget(connections: configuration.maxConnections)
        proxySlots = PushProxySlots(capacity: configuration.maxConnections / 8)
        accessTokens = AccessTokenSources(
            clock: clock,
            configuration: configuration,
            group: eventLoopGroup
        )
    }

    /// Checks that the outbound proxy responds and accepts its credentials; returns the result as text, or nil without
    /// a proxy.
    package func checkProxy() async -> PushProviderVerdict? {
        guard let proxy else { return nil }
        let eventLoop = group.next()
        let failure = await tunnel(proxy).check(
            on: eventLoop,
            resolver: resolver(of: proxy.host, proxy.port)?(eventLoop),
            timeout: configuration.connection.setupTimeout
        )
        return PushProviderVerdict(
            isUsable: failure == nil,
            text: failure.map { "\($0)" } ?? "\(proxy) responds to CONNECT"
        )
    }

    /// Returns the host names of a lane that this host's name server must know: none that a proxy resolves, and none of
    /// a tenant, whose addresses are checked at each connection.
    package func hostsToResolve(lane: LaneKey, app: AppSettings) -> Set<String> {
        guard app.endpointsBy != .tenant, Self.isUsed(lane, app: app),
            let credential = try? LaneCredential(lane.pushType, lane.environment, of: app, now: clock.now)
        else { return [] }
        let hosts: [String?] =
            switch credential {
            case .apns(let apns): [apns.endpoint.target.host]
            case .fcm(let fcm): [fcm.endpoint.target.host, URL(string: fcm.account.tokenEndpoint)?.host()]
            // Its addresses are checked at each request.
            case .proxy: []
            }
        return Set(
            hosts.compactMap { $0 }.filter { host in
                InternetAddress(host) == nil && proxy?.isUsed(for: host) != true
            }
        )
    }

    /// Creates the provider of a lane, which its owner must shut down; it does not dial before ``PushProvider/wake()``.
    ///
    /// Transport and environment of the lane choose the credential. A change of the brand's name or preview needs a new
    /// provider.
    ///
    /// - Throws: ``PushCredentialError`` with the member of the app's settings that cannot be used.
    package func make(
        lane: LaneKey,
        app: AppSettings,
        brand: Brand,
        source: any PushSource
    ) throws(PushCredentialError) -> any PushProvider {
        switch try LaneCredential(lane.pushType, lane.environment, of: app, now: clock.now) {
        case .apns(let credential):
            let path = try path(
                to: credential.endpoint,
                at: "/apns/endpoints/\(lane.environment.rawValue)",
                setBy: app.endpointsBy,
                of: brand.id
            )
            switch credential.authentication {
            case .token(let key): return makeAPNs(credential, key, lane, brand, app, path, source)
            case .certificate(let certificate):
                return try makeAPNs(credential, certificate, lane, brand, app, path, source)
            }
        case .fcm(let credential):
            let path = try path(
                to: credential.endpoint,
                at: "/fcm/endpoint",
                setBy: app.endpointsBy,
                of: brand.id,
                tokens: credential.account.tokenEndpoint
            )
            return makeFCM(credential, lane, brand, app, path, source)
        case .proxy(let credential):
            guard let tenants else { throw Self.unguarded(PushProxyCredential.pointer) }
            return try PushProxyProvider(
                credential,
                renderer: PushProxyRenderer(brand: brand, pushType: lane.pushType, links: app.links),
                brand: brand.id,
                source: source,
                client: tenants,
                slots: proxySlots,
                clock: clock,
                timeout: configuration.requestTimeout,
                eventLoop: group.next()
            )
        }
    }

    /// Returns an app's settings with the decrypted content of password-protected files in place of these and their
    /// passwords.
    ///
    /// Derives keys: do not call it on an event loop.
    ///
    /// - Throws: ``PushCredentialError`` with the member that cannot be decrypted.
    package static func open(
        app: AppSettings,
        derivations: KeyDerivations = KeyDerivations()
    ) throws(PushCredentialError) -> AppSettings {
        guard case .certificate(let closed)? = app.apns?.authentication else { return app }
        var app = app
        let certificate = try APNsCertificate(opening: closed, derivations: derivations)
        app.apns?.authentication = .certificate(certificate.settings)
        return app
    }

    /// Checks an app's decrypted settings in the same way as ``make(lane:app:brand:source:)``, for a request that sets
    /// them; credentials may expire by `now`.
    ///
    /// - Throws: ``PushCredentialError`` with the first member that cannot be used.
    package static func validate(app: AppSettings, now: Timestamp) throws(PushCredentialError) {
        for pushType in app.pushTypes {
            for environment in pushType.transport.environments {
                _ = try LaneCredential(pushType, environment, of: app, now: now)
            }
        }
    }

    /// Returns whether a lane can be used: an APNs certificate may be valid for only one of Apple's environments.
    package static func isUsed(_ lane: LaneKey, app: AppSettings) -> Bool {
        guard lane.pushType == .apns, case .certificate(let settings)? = app.apns?.authentication,
            let certificate = try? APNsCertificate(settings)
        else { return true }
        return certificate.facts.environments.contains(lane.environment)
    }

    private func makeAPNs(
        _ credential: APNsCredential,
        _ key: APNsTokenKey,
        _ lane: LaneKey,
        _ brand: Brand,
        _ app: AppSettings,
        _ path: Path,
        _ source: any PushSource
    ) -> any PushProvider {
        let signer = signers.signer(for: key)
        var connection = configuration.connection
        // With token authentication APNs allows one stream until it has seen a valid token (ProviderFacts page, A2).
        connection.oneStreamUntilAccepted = true
        return ProviderCore(
            eventLoop: group.next(),
            source: source,
            clock: clock,
            requestTimeout: configuration.requestTimeout,
            makeDialect: { _ in
                APNsDialect(
                    credential,
                    brand: brand,
                    app: app,
                    signer: signer
                )
            },
            makePool: makePool(path, connection, lane, tls)
        )
    }

    private func makeAPNs(
        _ credential: APNsCredential,
        _ certificate: APNsCertificate,
        _ lane: LaneKey,
        _ brand: Brand,
        _ app: AppSettings,
        _ path: Path,
        _ source: any PushSource
    ) throws(PushCredentialError) -> any PushProvider {
        guard certificate.facts.environments.contains(lane.environment) else {
            // Apple would reject each push with BadCertificateEnvironment.
            throw PushCredentialError(
                pointer: "/apns/certificate",
                detail: "is not for the \(lane.environment.rawValue) environment"
            )
        }
        let tls: TLSClientContext
        do {
            tls = try TLSClientContext(trustOf: self.tls, identity: certificate.identity)
        } catch {
            throw PushCredentialError(pointer: "/apns/certificate", detail: "cannot be used: \(error)")
        }
        return ProviderCore(
            eventLoop: group.next(),
            source: source,
            clock: clock,
            requestTimeout: configuration.requestTimeout,
            makeDialect: { [clock] _ in
                APNsCertificateDialect(
                    credential,
                    certificate: certificate.facts,
                    brand: brand,
                    app: app,
                    clock: clock
                )
            },
            makePool: makePool(path, configuration.connection, lane, tls)
        )
    }

    private func makeFCM(
        _ credential: FCMCredential,
        _ lane: LaneKey,
        _ brand: Brand,
        _ app: AppSettings,
        _ path: Path,
        _ source: any PushSource
    ) -> any PushProvider {
        let tokens = accessTokens.source(for: credential.account, by: path.client)
        let eventLoop = group.next()
        return ProviderCore(
            eventLoop: eventLoop,
            source: source,
            clock: clock,
            requestTimeout: configuration.requestTimeout,
            quota: PushQuota(group: credential.projectID, perMinute: configuration.fcmMessagesPerMinute),
            makeDialect: { [clock] onChange in
                FCMDialect(
                    credential: credential,
                    brand: brand,
                    app: app,
                    tokens: tokens,
                    clock: clock,
                    eventLoop: eventLoop,
                    onChange: onChange
                )
            },
            makePool: makePool(path, configuration.connection, lane, tls)
        )
    }

    /// The resolver and HTTP client of an endpoint.
    private struct Path {
        var target: HTTP2Target
        /// Makes the resolver of the host that is dialled, the proxy or the target; nil uses the system's.
        var makeResolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)?
        /// The proxy of the target; nil connects directly.
        var proxy: HTTP2Proxy?
        /// The client of its token endpoint.
        var client: TokenEndpoint.Client
    }

    /// Returns the path to an endpoint: without checks if the instance's administrator set it, through the address
    /// guard if a tenant did.
    private func path(
        to endpoint: ProviderEndpoint,
        at pointer: String,
        setBy setter: AppSettings.EndpointSetter?,
        of brand: BrandID,
        tokens tokenEndpoint: String? = nil
    ) throws(PushCredentialError) -> Path {
        let proxy = proxy?.isUsed(for: endpoint.target.host) == true ? proxy : nil
        guard setter == .tenant else {
            // The proxy resolves the name: the host of the gateway may have no name server for it.
            let dialled = proxy.map { ($0.host, $0.port) } ?? (endpoint.target.host, endpoint.target.port)
            return Path(
                target: endpoint.target,
                makeResolver: resolver(of: dialled.0, dialled.1),
                proxy: proxy.map { tunnel($0) },
                client: client(of: tokenEndpoint)
            )
        }
        guard let tenants else { throw Self.unguarded(pointer) }
        let (url, addresses): (GuardedURL, AddressGuard)
        do {
            (url, addresses) = (try tenants.url(endpoint.url), tenants.addresses)
        } catch { throw PushCredentialError(pointer: pointer, detail: error.text) }
        let makeChecked: @Sendable (any EventLoop) -> any Resolver & Sendable = { eventLoop in
            EndpointResolver(port: Int(url.dialledPort), on: eventLoop) {
                try await addresses.addresses(of: url, for: brand.rawValue)
            }
        }
        // This host is not the proxy's.
        guard let proxy, !url.isLoopback else {
            return Path(target: endpoint.target, makeResolver: makeChecked, client: .guarded(tenants, brand))
        }
        // The proxy receives a checked address: it might resolve the name to another one.
        var checked = tunnel(proxy)
        checked.makeResolver = makeChecked
        return Path(
            target: endpoint.target,
            makeResolver: resolver(of: proxy.host, proxy.port),
            proxy: checked,
            client: .guarded(tenants, brand)
        )
    }

    private static func unguarded(_ pointer: String) -> PushCredentialError {
        PushCredentialError(pointer: pointer, detail: "needs the address guard, which this process has not")
    }

    private func tunnel(_ proxy: OutboundProxy) -> HTTP2Proxy {
        HTTP2Proxy(host: proxy.host, port: proxy.port, authorization: proxy.authorizationHeader)
    }

    /// Returns the client of a token endpoint that the instance's administrator set; plain http only reaches this host.
    private func client(of tokenEndpoint: String?) -> TokenEndpoint.Client {
        guard let proxy, let url = tokenEndpoint.flatMap({ URL(string: $0) }), let host = url.host,
            url.scheme?.lowercased() == "https", proxy.isUsed(for: host)
        else { return .open(httpClient, nil) }
        return .open(httpClient, proxy)
    }

    private func resolver(of host: String, _ port: Int) -> (@Sendable (any EventLoop) -> any Resolver & Sendable)? {
        guard let names else { return nil }
        let literal = InternetAddress(host).map { [$0] }
        return { eventLoop in
            EndpointResolver(port: port, on: eventLoop) {
                if let literal { return literal }
                let found = await names.addresses(of: host, for: "")
                guard !found.isEmpty else { throw GuardedFailure.unresolved }
                return found
            }
        }
    }

    private func makePool(
        _ path: Path,
        _ connection: HTTP2ConnectionConfiguration,
        _ lane: LaneKey,
        _ tls: TLSClientContext
    ) -> @Sendable (any HTTP2RequestSource, any EventLoop) -> HTTP2ConnectionPool {
        var logger = logger
        logger[metadataKey: "lane"] = "\(lane)"
        let observer = metrics.map { PoolMetrics(metrics: $0, provider: lane.pushType) }
        return { [logger, budget] source, eventLoop in
            HTTP2ConnectionPool(
                target: path.target,
                tls: tls,
                configuration: connection,
                eventLoop: eventLoop,
                source: source,
                makeResolver: path.makeResolver,
                proxy: path.proxy,
                budget: budget,
                observer: observer,
                logger: logger
            )
        }
    }
}
