/// How many deliveries of messages reached devices, as providers and devices say; badges are not among them.
package struct DeliveryReports: Sendable, Equatable {
    /// Of so many the device said that they had arrived, or anything that follows from it.
    package var delivered: Int64 = 0
    /// Of so many the device said that they were shown.
    package var displayed: Int64 = 0
    /// Of so many the device said that they were wiped away.
    package var dismissed: Int64 = 0
    /// So many that show something were taken by their providers; those that devices reported are among them.
    ///
    /// The base of the tap rate: most devices report a tap and nothing else.
    package var taken: Int64 = 0
    /// So many were tapped.
    package var tapped: Int64 = 0

    /// Nothing.
    package init() {}
}
