/// One measured figure.
struct Figure: Encodable {
    /// What was measured, for example `batch ingest`.
    var scenario: String
    /// Which figure of it, for example `gateway CPU`.
    var name: String
    /// The value.
    var value: Double
    /// Its unit.
    var unit: String
    /// What must be reached, if something must: the value may be at most this.
    var limit: Double?
    /// What must be reached, if something must: the value must be at least this.
    var floor: Double?

    /// Whether what must be reached is reached; nil when nothing must be.
    var isReached: Bool? {
        guard limit != nil || floor != nil else { return nil }
        return value <= limit ?? .infinity && value >= floor ?? -.infinity
    }
}
