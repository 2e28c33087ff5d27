package import GatewayModel

/// The number of deliveries that an event makes, observed for each brand: a value type.
///
/// A brand whose consumers have a hundred devices each must not make a turn of the writer a hundred times as long.
package struct RowsPerEvent: Sendable {
    /// Brands whose events make more than one delivery each.
    private var seen: [BrandID: Int] = [:]

    /// Creates an estimate without observations.
    package init() {}

    /// Returns the number of deliveries that an event of a brand makes; at least 1.
    package func perEvent(of brand: BrandID) -> Int { seen[brand] ?? 1 }

    /// Updates the estimate after a turn: it rises at once and falls gradually, because the next events may be for
    /// others; without events it stays.
    package mutating func note(deliveries: Int, of events: Int, brand: BrandID) {
        guard events > 0 else { return }
        let (before, now) = (perEvent(of: brand), max((deliveries + events - 1) / events, 1))
        let rows = now >= before ? now : before - max((before - now) / 8, 1)
        seen[brand] = rows > 1 ? rows : nil
    }
}
