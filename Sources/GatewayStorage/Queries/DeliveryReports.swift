/// The numbers of deliveries of messages that reached devices, as providers and devices report; badges are not
/// included.
package struct DeliveryReports: Sendable, Equatable {
    /// Deliveries of which the device reported the arrival, or anything that implies it.
    package var delivered: Int64 = 0
    /// Deliveries of which the device reported that they were shown.
    package var displayed: Int64 = 0
    /// Deliveries of which the device reported that they were dismissed.
    package var dismissed: Int64 = 0
    /// Visible deliveries that their providers accepted, including those that devices reported.
    ///
    /// The base of the tap rate: most devices report a tap and nothing else.
    package var taken: Int64 = 0
    /// Deliveries that were tapped.
    package var tapped: Int64 = 0

    /// Creates reports of nothing.
    package init() {}
}
