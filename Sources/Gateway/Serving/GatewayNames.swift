import GuardedHTTP

/// Resolves host names for one gateway.
///
/// Each use has its own share of the threads: a webhook's name server that hangs
/// delays no login, and that of an endpoint set by a tenant delays no push to the providers' own endpoints.
struct GatewayNames: Sendable {
    /// The number of simultaneous lookups for each use.
    private static let atOnce = 8

    /// For the providers' own endpoints, and those that an administrator set.
    let providers: SystemResolver
    /// For endpoints of providers that tenants set.
    let tenants: SystemResolver
    /// For identity providers.
    let identity: SystemResolver
    /// For webhooks.
    let webhooks: SystemResolver
    private let threads: ResolverThreads

    /// Creates the resolvers; looks nothing up yet.
    init() {
        let threads = ResolverThreads(count: 4 * Self.atOnce)
        providers = SystemResolver(threads: threads, atOnce: Self.atOnce)
        tenants = SystemResolver(threads: threads, atOnce: Self.atOnce)
        identity = SystemResolver(threads: threads, atOnce: Self.atOnce)
        webhooks = SystemResolver(threads: threads, atOnce: Self.atOnce)
        self.threads = threads
    }

    /// Ends the threads.
    func shutdown() { threads.shutdown() }
}
