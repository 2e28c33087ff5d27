import GatewayModel
import NIOCore
import Synchronization

/// The token sources of a process: one for each service account, shared by all lanes.
final class AccessTokenSources: Sendable {
    /// An app of a tenant must not share the token that was fetched, unguarded, for one of the administrator's.
    private struct Key: Hashable {
        var identity: ServiceAccountKey.Identity
        var isGuarded: Bool
    }

    private let clock: any GatewayClock
    private let configuration: PushProviderConfiguration
    private let group: any EventLoopGroup
    /// Grows with each service account that an operator ever sets, and no faster.
    private let sources = Mutex<[Key: AccessTokenSource]>([:])

    init(
        clock: any GatewayClock,
        configuration: PushProviderConfiguration,
        group: any EventLoopGroup
    ) {
        self.clock = clock
        self.configuration = configuration
        self.group = group
    }

    func source(for account: ServiceAccountKey, by client: TokenEndpoint.Client) -> AccessTokenSource {
        let key = Key(identity: account.identity, isGuarded: client.isGuarded)
        return sources.withLock { sources in
            if let source = sources[key] { return source }
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
            sources[key] = source
            return source
        }
    }
}
