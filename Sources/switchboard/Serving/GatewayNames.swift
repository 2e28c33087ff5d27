import GuardedHTTP

/// Looks names up for one gateway: one set of threads, of which each use has its part, so that a webhook's name server
/// that hangs holds up no login, and an endpoint's that a tenant set no push by the providers' own.
struct GatewayNames: Sendable {
    /// So many names are looked up at once for each use.
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

    /// Puts them together; nothing is looked up yet.
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
