internal import Hummingbird

extension RateLimiter {
    /// The address that a request comes from.
    func address(of request: Request, _ context: GatewayContext) -> ClientAddress {
        ClientAddress(
            peer: context.peer,
            forwarded: request.headers[values: .xForwardedFor],
            isProxied: request.headers.contains { ClientAddress.isProxyField($0.name.canonicalName) },
            proxies: trustedProxies
        )
    }

    /// Counts a request among those of its address; callers on this machine are not counted.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context, which knows the other end of the connection.
    /// - Returns: How the address stands now; nil when it has no limit.
    /// - Throws: `Problem` 429 when the address asks too often.
    func takeAddress(of request: Request, _ context: GatewayContext) throws(Problem) -> RateStanding? {
        guard case .remote(let address) = address(of: request, context) else { return nil }
        return try take(.address, address.network)
    }
}
