internal import HTTPTypes

/// The state of a caller's rate limit after a request.
struct RateLimitState: Sendable, Equatable {
    /// The limit.
    var policy: RatePolicy
    /// The number of requests that are left.
    var remaining: Int
    /// The seconds until the bucket is full again, or until the next request is allowed when none is left.
    var seconds: Int

    /// Adds the header fields of the limit (draft-ietf-httpapi-ratelimit-headers section 2).
    func write(to headers: inout HTTPFields) {
        headers[.rateLimitPolicy] = policy.text
        headers[.rateLimit] = text
    }

    /// The value of `RateLimit`: `"account";r=49;t=1`.
    private var text: String {
        let (name, remaining, seconds) = (policy.quotedName, remaining, seconds)
        // Built in place: each response to a caller with a limit contains it.
        return String(unsafeUninitializedCapacity: name.utf8.count + 46) { text in
            let end = Self.add(";r=", remaining, to: text, at: text.update(fromContentsOf: name.utf8))
            return Self.add(";t=", seconds, to: text, at: end)
        }
    }

    /// Writes a word and a number of 0 or more; returns the position after them.
    private static func add(
        _ word: StaticString,
        _ number: Int,
        to text: UnsafeMutableBufferPointer<UInt8>,
        at start: Int
    ) -> Int {
        var end = word.withUTF8Buffer { text[start...].update(fromContentsOf: $0) }
        var (rest, power) = (max(number, 0), 1)
        while rest / power >= 10 { power *= 10 }
        while power > 0 {
            text[end] = UInt8(ascii: "0") + UInt8(rest / power)
            rest %= power
            power /= 10
            end += 1
        }
        return end
    }
}

/// A rate limit in header fields.
struct RatePolicy: Sendable, Equatable {
    /// The limit's name in quotation marks.
    let quotedName: String
    /// The value of `RateLimit-Policy`, created once.
    let text: String

    /// Creates the header fields of a limit.
    ///
    /// - Parameters:
    ///   - kind: The kind of caller.
    ///   - quota: The number of requests of a full bucket.
    init(_ kind: RateLimiter.Kind, quota: Int) {
        quotedName = "\"\(kind.name)\""
        text = "\(quotedName);q=\(quota);w=\(RateLimits.burstSeconds)"
    }
}
