internal import GuardedHTTP
internal import HTTPTypes
internal import Hummingbird

extension RateLimiter {
    /// The origin address of a request.
    func address(of request: Request, _ context: GatewayContext) -> ClientAddress {
        ClientAddress(
            peer: context.peer,
            forwarded: ClientAddress.hops(request.headers[values: .xForwardedFor], request.headers[values: .forwarded]),
            isProxied: request.headers.contains { ClientAddress.isProxyField($0.name.canonicalName) },
            proxies: trustedProxies
        )
    }

    /// Whether a trusted proxy says that a request came over HTTPS.
    func isSecure(_ request: Request, _ context: GatewayContext) -> Bool {
        guard let peer = context.peer?.unmapped, trustedProxies.contains(where: { $0.contains(peer) }) else {
            return false
        }
        let headers = request.headers
        return ClientAddress.isSecure(headers[values: .xForwardedProto], headers[values: .forwarded])
    }

    /// Counts a request for its address; callers on this host are not counted.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context, which contains the remote address of the connection.
    /// - Returns: The state of the address's limit; nil when it has no limit.
    /// - Throws: `Problem` 429 when the address exceeds its limit.
    func takeAddress(of request: Request, _ context: GatewayContext) throws(Problem) -> RateLimitState? {
        guard case .remote(let address) = address(of: request, context) else { return nil }
        return try take(.address, address.network)
    }
}
