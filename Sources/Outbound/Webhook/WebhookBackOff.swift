/// The waiting time before a batch is posted again.
package enum WebhookBackOff {
    /// Seconds after each failed attempt; the last one repeats.
    ///
    /// The first ones cover a restart of the receiver, the last ones a night without anybody at work.
    package static let delaysSeconds: [Int64] = [1, 5, 30, 120, 600, 3600]

    /// Returns the wait after an attempt.
    ///
    /// A random tenth up or down keeps the receivers of many brands from being tried at one moment.
    ///
    /// - Parameters:
    ///   - attempts: The number of failed attempts for the batch, 1 or more.
    ///   - retryAfterSeconds: The receiver's `Retry-After`, 0 to 3,600; it never shortens the wait.
    ///   - jitter: 0 to 1; 0.5 is the middle.
    /// - Returns: Milliseconds.
    package static func milliseconds(attempts: Int, retryAfterSeconds: Int64?, jitter: Double) -> Int64 {
        let base = delaysSeconds[min(max(attempts, 1), delaysSeconds.count) - 1] * 1000
        let spread = Int64(Double(base) * (0.9 + 0.2 * min(max(jitter, 0), 1)))
        return max(spread, (retryAfterSeconds ?? 0) * 1000)
    }

    /// The upper bound of any wait.
    ///
    /// A time further ahead was written before the clock was set back.
    package static let maxMilliseconds: Int64 = 3600 * 1000 * 2
}
