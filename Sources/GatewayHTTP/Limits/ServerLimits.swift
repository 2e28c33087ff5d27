/// What one server takes on at once, and how long it waits for its callers.
package struct ServerLimits: Sendable, Equatable {
    /// Connections that are served at once; a few more are answered 503 and closed, all others are closed at once.
    package var maxConnections: Int
    /// Requests that are handled at once; more are answered 503 before their bodies are read.
    package var maxRequestsInFlight: Int
    /// Connections of one address that are served at once; a few more are answered 503 and closed.
    ///
    /// This machine and trusted proxies have no such limit.
    package var connectionsPerAddress: Int
    /// Requests of one address that are handled at once, half of it for a proxy that names no client; callers on this
    /// machine have no such limit.
    package var slotsPerAddress: Int
    /// Messaging windows of one address that are open at once, half of it for a proxy that names no client; callers on this
    /// machine have no such limit.
    package var windowsPerAddress: Int
    /// Bytes of request bodies in memory at once, shared by address and by brand; more is answered 503.
    package var bodyBytes: Int
    /// From the first byte of a request's head to the end of its body, and how long a caller may take nothing of an
    /// answer; checked every quarter of it.
    package var requestTimeout: Duration
    /// From the first byte of a request's head to the end of the head, and to the first byte of the body if there is one;
    /// no setting.
    package var startTimeout: Duration
    /// How long a connection may stay open between two requests.
    package var idleTimeout: Duration
    /// How often callers may ask.
    package var rates: RateLimits
    /// Proxies whose `X-Forwarded-For` is believed.
    package var trustedProxies: [AddressRange]
    /// The addresses of this machine, whose connections have no limit by address; no setting.
    package var ownAddresses = AddressRange.loopback

    /// Takes limits; the defaults are those of the settings.
    ///
    /// - Parameters:
    ///   - maxConnections: Connections that are served at once, 1 or more.
    ///   - maxRequestsInFlight: Requests that are handled at once, 1 or more.
    ///   - connectionsPerAddress: Connections of one address that are served at once, 1 or more.
    ///   - slotsPerAddress: Requests of one address that are handled at once, 1 or more.
    ///   - windowsPerAddress: Messaging windows of one address that are open at once, 1 or more.
    ///   - bodyBytes: Bytes of request bodies in memory at once, far more than the longest body has.
    ///   - requestTimeout: How long a request may take to arrive, and an answer not to move.
    ///   - startTimeout: How long a request's head and the first byte of its body may take to arrive.
    ///   - idleTimeout: How long a connection may stay open between two requests.
    ///   - rates: How often callers may ask.
    ///   - trustedProxies: Proxies whose `X-Forwarded-For` is believed.
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

    /// Connections beyond `maxConnections` that still get one answer, so that callers learn when to come back and
    /// health checks work in overload.
    package static let surplusConnections = 64

    /// Connections beyond `connectionsPerAddress` that still get one answer: few, so that one address does not use up those
    /// of all.
    package static let addressSurplusConnections = 8

    /// Descriptors below the limit of the process that no connection gets: for files that are open for moments.
    package static let lastDescriptors = 8
}
