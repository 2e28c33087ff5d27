/// How many sessions are kept.
package enum SessionLimits {
    /// More sessions of one consumer end the oldest.
    ///
    /// Many times the devices that a person has, each with some logins that nobody ended; but a device that logs in each
    /// minute for the 24 hours that a session may live cannot leave 1,440 of them.
    package static let perConsumer = 100
}
