package import GuardedHTTP

/// The limits and timeouts of one server; each number is 1 or more.
package struct ServerLimits: Sendable, Equatable {
    /// The maximum number of connections; a few more get a 503 response and are closed, all others are closed at once.
    package var maxConnections: Int
    /// The maximum number of concurrent requests; more get a 503 response before their bodies are read.
    package var maxRequestsInFlight: Int
    /// The maximum number of connections of one address; a few more get a 503 response and are closed.
    ///
    /// This host and trusted proxies have no such limit.
    package var connectionsPerAddress: Int
    /// The maximum number of concurrent requests of one address, half of it for a proxy that names no client; callers
    /// on this host have no such limit.
    package var slotsPerAddress: Int
    /// The maximum number of open messaging windows of one address, half of it for a proxy that names no client;
    /// callers on this host have no such limit.
    package var windowsPerAddress: Int
    /// The maximum number of bytes of request bodies in memory, far more than the longest body has, shared by address
    /// and by brand; more get a 503 response.
    package var bodyBytes: Int
    /// The timeout from the first byte of a request's head to the end of its body, and for a caller that reads nothing
    /// of a response; checked every quarter of it.
    package var requestTimeout: Duration
    /// The timeout from the first byte of a request's head to its end, and to the first byte of the body if there is
    /// one; not a setting.
    package var startTimeout: Duration
    /// The maximum idle time of a connection between two requests.
    package var idleTimeout: Duration
    /// The rate limits of callers.
    package var rates: RateLimits
    /// The proxies whose `X-Forwarded-For` is trusted.
    package var trustedProxies: [AddressRange]
    /// The addresses of this host, whose connections have no limit per address; not a setting.
    package var ownAddresses = AddressRange.loopback

    /// Creates limits; the defaults are those of the settings.
    package init(
        maxConnections: Int = 4096,
        maxRequestsInFlight: Int = 2048,
        connectionsPerAddress: Int = 256,
        slotsPerAddress: Int = 128,
        windowsPerAddress: Int = 256,
        bodyBytes: Int = 256 << 20,
        requestTimeout: Duration = .seconds(30),
        startTimeout: Duration = .seconds(10),
        idleTimeout: Duration = .seconds(90),
        rates: RateLimits = RateLimits(),
        trustedProxies: [AddressRange] = AddressRange.loopback
    ) {
        self.maxConnections = maxConnections
        self.maxRequestsInFlight = maxRequestsInFlight
        self.connectionsPerAddress = connectionsPerAddress
        self.slotsPerAddress = slotsPerAddress
        self.windowsPerAddress = windowsPerAddress
        self.bodyBytes = bodyBytes
        self.requestTimeout = requestTimeout
        self.startTimeout = startTimeout
        self.idleTimeout = idleTimeout
        self.rates = rates
        self.trustedProxies = trustedProxies
    }

    /// The number of connections beyond `maxConnections` that still get a response, so that callers learn when to retry
    /// and health checks work in overload.
    package static let surplusConnections = 64

    /// The number of connections beyond `connectionsPerAddress` that still get a response: few, so that one address
    /// does not use up those of all.
    package static let addressSurplusConnections = 8

    /// The number of descriptors below the process's limit that no connection gets: for files that are open briefly.
    package static let lastDescriptors = 8
}
