internal import HTTPTypes

/// How a caller stands with its rate limit after a request.
struct RateStanding: Sendable, Equatable {
    /// The limit's name.
    var name: String
    /// How many requests the bucket holds when it is full.
    var quota: Int
    /// How many are left.
    var remaining: Int
    /// Seconds until the bucket is full again, or until the next request is taken when none is left.
    var seconds: Int

    /// Adds the header fields that tell the caller (draft-ietf-httpapi-ratelimit-headers section 2).
    func write(to headers: inout HTTPFields) {
        headers[.rateLimitPolicy] = "\"\(name)\";q=\(quota);w=\(RateLimits.burstSeconds)"
        headers[.rateLimit] = "\"\(name)\";r=\(remaining);t=\(seconds)"
    }
}
