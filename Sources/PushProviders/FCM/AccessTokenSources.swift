import GatewayModel
import NIOCore
import Synchronization

/// The token sources of a process: one for each service account, shared by all lanes.
final class AccessTokenSources: Sendable {
    /// The key of a source.
    ///
    /// A tenant's app must not share a token that was fetched without the address guard for an
    /// administrator's app.
    private struct Key: Hashable {
        var identity: ServiceAccountKey.Identity
        var isGuarded: Bool
    }

    private let clock: any GatewayClock
    private let configuration: PushProviderConfiguration
    private let group: any EventLoopGroup
    /// The sources; grows only with each service account that an operator sets.
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
