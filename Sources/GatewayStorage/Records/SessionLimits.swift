/// The limits of stored sessions.
package enum SessionLimits {
    /// The number of sessions of one consumer; more end the oldest.
    ///
    /// Many times the number of a person's devices, each with some logins that nobody ended. But a device that logs in
    /// each minute for the 24 hours that a session may live cannot leave 1,440 of them.
    package static let perConsumer = 100
}
