/// Resolves the host of a URL that a tenant set, and rejects forbidden addresses.
package struct AddressGuard: Sendable {
    private let resolver: any HostResolver
    private let policy: AddressPolicy

    /// Creates a guard.
    package init(resolver: any HostResolver, policy: AddressPolicy) {
        self.resolver = resolver
        self.policy = policy
    }

    /// Parses a URL and checks it as far as possible without a DNS lookup; throws ``GuardedURL/Rejection``.
    package func url(_ text: String) throws(GuardedURL.Rejection) -> GuardedURL { try GuardedURL(text, policy: policy) }

    /// Looks the host up once for the brand that set the URL, empty for the gateway itself, and returns all its checked
    /// addresses, at least one.
    ///
    /// The caller must connect to one of these and not look the name up again: a name server might respond differently
    /// the second time.
    ///
    /// - Throws: ``GuardedFailure/unresolved``, ``GuardedFailure/forbiddenAddress``, or ``GuardedFailure/timeout`` when
    ///   the task is cancelled.
    package func addresses(
        of url: GuardedURL,
        for owner: String
    ) async throws(GuardedFailure) -> [InternetAddress] {
        let addresses: [InternetAddress]
        if let literal = url.literal {
            addresses = [literal]
        } else {
            addresses = await resolver.addresses(of: url.host, for: owner)
        }
        // A cancelled lookup returns nothing, which must not be taken for a name without addresses.
        guard !Task.isCancelled else { throw .timeout }
        guard !addresses.isEmpty else { throw .unresolved }
        for address in addresses {
            do {
                try policy.check(address, port: url.dialledPort, isLoopback: url.isLoopback)
            } catch { throw .forbiddenAddress }
        }
        return addresses
    }
}
