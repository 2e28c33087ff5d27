package import GatewayModel

/// How many deliveries an event makes, as was seen of each brand's: a plain value.
///
/// A brand whose consumers have a hundred devices each must not make a turn of the writer a hundred times as long.
package struct RowsPerEvent: Sendable {
    /// Brands whose events make more than one delivery each.
    private var seen: [BrandID: Int] = [:]

    /// No event was seen.
    package init() {}

    /// How many deliveries an event makes.
    ///
    /// - Parameter brand: Whose event it is.
    /// - Returns: At least 1.
    package func perEvent(of brand: BrandID) -> Int { seen[brand] ?? 1 }

    /// Takes in what a turn did: more counts at once, less little by little, because the next events may be for others.
    ///
    /// - Parameters:
    ///   - deliveries: How many it made.
    ///   - events: Of how many events; none changes nothing.
    ///   - brand: Whose they are.
    package mutating func note(deliveries: Int, of events: Int, brand: BrandID) {
        guard events > 0 else { return }
        let (before, now) = (perEvent(of: brand), max((deliveries + events - 1) / events, 1))
        let rows = now >= before ? now : before - max((before - now) / 8, 1)
        seen[brand] = rows > 1 ? rows : nil
    }
}
