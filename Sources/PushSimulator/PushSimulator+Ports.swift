internal import Cryptography
internal import Glibc
internal import HTTP2Connections
internal import NIOCore
internal import NIOPosix
internal import TLS

extension PushSimulator {
    /// A listening port.
    struct OpenPort {
        var address: SimulatorAddress
        var server: HTTP2Server
    }

    /// Starts APNs.
    static func startAPNs(
        _ configuration: SimulatorConfiguration,
        _ credentials: SimulatorCredentials,
        _ core: SimulatorCore
    ) async throws(SimulatorError) -> OpenPort {
        let key = APNsTeamKey(
            keyID: credentials.keyID,
            teamID: credentials.teamID,
            publicKey: credentials.teamKey.publicKey,
            topics: [credentials.topic]
        )
        let directory = APNsDirectory(
            keys: [key],
            devices: configuration.apnsDevices,
            isSandbox: configuration.isAPNsSandbox
        )
        let service = APNsService(
            core: core,
            validator: APNsValidator(directory: directory),
            raisedStreams: configuration.streams
        )
        return try await Self.listen(
            at: configuration.apns,
            streams: configuration.firstStreams,
            service,
            credentials,
            configuration,
            // A client certificate must be ours and valid; it is optional, since pushes may carry tokens.
            clientAuthorities: Array(credentials.authorityPEM.utf8)
        )
    }

    /// Starts FCM with the token endpoint and the identity provider.
    static func startFCM(
        _ configuration: SimulatorConfiguration,
        _ credentials: SimulatorCredentials,
        _ core: SimulatorCore,
        _ identityProvider: SimulatedIdentityProvider
    ) async throws(SimulatorError) -> OpenPort {
        let account = ServiceAccountKey(
            clientEmail: credentials.accountEmail,
            keyID: credentials.accountKeyID,
            projectID: credentials.projectID,
            publicKey: credentials.accountKey.publicKey
        )
        // The port is known only once it is open; until then no assertion has this audience.
        let service = FCMService(
            core: core,
            validator: FCMValidator(directory: FCMDirectory(devices: configuration.fcmDevices)),
            endpoint: TokenEndpoint(keys: [account], audiences: []),
            identityProvider: identityProvider
        )
        let port = try await Self.listen(
            at: configuration.fcm,
            streams: configuration.streams,
            service,
            credentials,
            configuration
        )
        service.setAudiences(Self.audiences(at: port.address))
        do throws(SimulatorError) {
            try credentials.writeServiceAccount(tokenURI: Self.tokenURI(at: port.address))
        } catch {
            await port.server.shutdown()
            throw error
        }
        return port
    }

    private static func listen(
        at address: SimulatorAddress,
        streams: UInt32,
        _ application: any HTTP2ServerApplication,
        _ credentials: SimulatorCredentials,
        _ configuration: SimulatorConfiguration,
        clientAuthorities: [UInt8]? = nil
    ) async throws(SimulatorError) -> OpenPort {
        var settings = HTTP2ServerConfiguration()
        settings.maxConcurrentStreams = streams
        settings.roundTrip = .milliseconds(Int64(configuration.roundTripMilliseconds))
        settings.initialWindowSize = configuration.streamWindow
        settings.windowUpdateDelay = configuration.windowUpdateDelayMilliseconds.map { .milliseconds(Int64($0)) }
        settings.resetAfterBodyBytes = configuration.resetAfterBodyBytes
        let shown = try credentials.serverCertificate(configuration.certificate)
        let tls: TLSServerContext
        do {
            let identity = TLSIdentity(
                certificateChainPEM: Array(shown.certificatePEM.utf8),
                privateKeyPEM: Array(shown.keyPEM.utf8)
            )
            tls = try TLSServerContext(
                identity: identity,
                clientAuthoritiesPEM: clientAuthorities,
                requiresClientCertificate: false
            )
        } catch {
            throw .credentials(file: credentials.folder, reason: "\(error)")
        }
        do {
            let server = try await HTTP2Server.bind(
                host: address.host,
                port: address.port,
                tls: tls,
                configuration: settings,
                application: application,
                group: MultiThreadedEventLoopGroup.singleton,
                logger: configuration.logger
            )
            return OpenPort(address: SimulatorAddress(host: address.host, port: server.port), server: server)
        } catch {
            throw .cannotListen(on: "\(address)", reason: Self.reason(error))
        }
    }

    /// Returns the system's error text, without function names.
    static func reason(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return String(cString: strerror(error.errnoCode))
    }

    // MARK: - Names

    /// Returns the URL of the token endpoint at an FCM port.
    static func tokenURI(at address: SimulatorAddress) -> String {
        let isAnyAddress = address.host == "0.0.0.0" || address.host == "::"
        return "https://\(SimulatorAddress(host: isAnyAddress ? "localhost" : address.host, port: address.port))/token"
    }

    /// Returns the endpoint's URLs with each name of its certificate, and Google's own.
    private static func audiences(at address: SimulatorAddress) -> Set<String> {
        let hosts = [address.host, "localhost", "127.0.0.1", "::1"]
        let own = hosts.map { "https://\(SimulatorAddress(host: $0, port: address.port))/token" }
        return Set(own + ["https://oauth2.googleapis.com/token"])
    }
}
