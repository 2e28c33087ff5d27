/// When a batch is tried again.
package enum WebhookBackOff {
    /// Seconds after each try in vain; the last one repeats.
    ///
    /// A restart of the receiver is over within the first ones, a
    /// night without anybody at work within the last.
    package static let delaysSeconds: [Int64] = [1, 5, 30, 120, 600, 3600]

    /// The wait after a try.
    ///
    /// A tenth up or down at random, so that the receivers of many brands are not tried at one moment.
    ///
    /// - Parameters:
    ///   - attempts: How often the batch was tried in vain, 1 or more.
    ///   - retryAfterSeconds: What the receiver asked for, 0 to 3,600; never shortens the wait.
    ///   - jitter: 0 to 1; 0.5 is the middle.
    /// - Returns: Milliseconds.
    package static func milliseconds(attempts: Int, retryAfterSeconds: Int64?, jitter: Double) -> Int64 {
        let base = delaysSeconds[min(max(attempts, 1), delaysSeconds.count) - 1] * 1000
        let spread = Int64(Double(base) * (0.9 + 0.2 * min(max(jitter, 0), 1)))
        return max(spread, (retryAfterSeconds ?? 0) * 1000)
    }

    /// Longer than any wait: a time that lies further ahead was written by a clock that has been set back.
    package static let maxMilliseconds: Int64 = 3600 * 1000 * 2
}
