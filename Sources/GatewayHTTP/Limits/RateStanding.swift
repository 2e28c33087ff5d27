internal import HTTPTypes

/// How a caller stands with its rate limit after a request.
struct RateStanding: Sendable, Equatable {
    /// The limit.
    var policy: RatePolicy
    /// How many requests are left.
    var remaining: Int
    /// Seconds until the bucket is full again, or until the next request is taken when none is left.
    var seconds: Int

    /// Adds the header fields that tell the caller (draft-ietf-httpapi-ratelimit-headers section 2).
    func write(to headers: inout HTTPFields) {
        headers[.rateLimitPolicy] = policy.text
        headers[.rateLimit] = text
    }

    /// `"account";r=49;t=1`.
    private var text: String {
        let (name, remaining, seconds) = (policy.quotedName, remaining, seconds)
        // Put together in place: each answer to a caller with a limit has it.
        return String(unsafeUninitializedCapacity: name.utf8.count + 46) { text in
            let end = Self.add(";r=", remaining, to: text, at: text.update(fromContentsOf: name.utf8))
            return Self.add(";t=", seconds, to: text, at: end)
        }
    }

    /// Writes a word and a number of 0 or more; gives the place behind them.
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

/// A rate limit as callers are told of it.
struct RatePolicy: Sendable, Equatable {
    /// The limit's name in quotation marks.
    let quotedName: String
    /// The value of `RateLimit-Policy`, made once.
    let text: String

    /// Names a limit.
    ///
    /// - Parameters:
    ///   - kind: Whom it is for.
    ///   - quota: How many requests a full bucket holds.
    init(_ kind: RateLimiter.Kind, quota: Int) {
        quotedName = "\"\(kind.name)\""
        text = "\(quotedName);q=\(quota);w=\(RateLimits.burstSeconds)"
    }
}
