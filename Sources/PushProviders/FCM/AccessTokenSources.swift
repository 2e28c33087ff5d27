import AsyncHTTPClient
import GatewayModel
import NIOCore
import Synchronization

/// The token sources of a process: one for each service account, shared by all lanes.
final class AccessTokenSources: Sendable {
    private let client: HTTPClient
    private let clock: any GatewayClock
    private let configuration: PushProviderConfiguration
    private let group: any EventLoopGroup
    /// Grows with each service account that an operator ever sets, and no faster.
    private let sources = Mutex<[ServiceAccountKey.Identity: AccessTokenSource]>([:])

    init(
        client: HTTPClient,
        clock: any GatewayClock,
        configuration: PushProviderConfiguration,
        group: any EventLoopGroup
    ) {
        self.client = client
        self.clock = clock
        self.configuration = configuration
        self.group = group
    }

    func source(for account: ServiceAccountKey) -> AccessTokenSource {
        let identity = account.identity
        return sources.withLock { sources in
            if let source = sources[identity] { return source }
            let source = AccessTokenSource(
                account: account,
                endpoint: TokenEndpoint(
                    client: client,
                    url: account.tokenEndpoint,
                    timeout: configuration.tokenTimeout
                ),
                clock: clock,
                backoffBase: configuration.tokenBackoffBase,
                backoffCap: configuration.tokenBackoffCap,
                eventLoop: group.next()
            )
            sources[identity] = source
            return source
        }
    }
}
