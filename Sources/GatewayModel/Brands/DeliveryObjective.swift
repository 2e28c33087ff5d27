/// A brand's objective for the pushes of agents' messages: this share of them is accepted by its provider in time.
package struct DeliveryObjective: Codable, Equatable, Sendable {
    /// The range of ``percent``.
    package static let percentRange: ClosedRange<Int64> = 50...99
    /// The range of ``withinSeconds``.
    package static let secondsRange: ClosedRange<Int64> = 1...3600

    /// The share, in per cent.
    package var percent: Int64
    /// The time from the event to the provider's acceptance, in seconds.
    package var withinSeconds: Int64

    /// Creates an objective.
    package init(percent: Int64, withinSeconds: Int64) {
        self.percent = percent
        self.withinSeconds = withinSeconds
    }
}
