/// Finds where a URL that a tenant set leads, and lets no address pass that must not be reached.
package struct AddressGuard: Sendable {
    private let resolver: any HostResolver
    private let policy: AddressPolicy

    /// Takes a guard.
    ///
    /// - Parameters:
    ///   - resolver: Looks names up.
    ///   - policy: What may be reached.
    package init(resolver: any HostResolver, policy: AddressPolicy) {
        self.resolver = resolver
        self.policy = policy
    }

    /// Reads a URL and checks it as far as its text says.
    ///
    /// - Parameter text: The URL.
    /// - Returns: The URL.
    /// - Throws: ``GuardedURL/Refusal``.
    package func url(_ text: String) throws(GuardedURL.Refusal) -> GuardedURL { try GuardedURL(text, policy: policy) }

    /// Looks the host up once and checks every address of it; whoever connects dials one of these and asks no name server
    /// again, which might answer differently the second time.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - owner: The brand that chose it, which has its share of the look-ups; empty for the gateway itself.
    /// - Returns: The addresses, at least one.
    /// - Throws: ``GuardedFailure/unresolved``, ``GuardedFailure/forbiddenAddress``, or ``GuardedFailure/timeout`` when the
    ///   task is cancelled.
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
        // A look-up that was given up finds nothing, and must not be taken for a name without addresses.
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
