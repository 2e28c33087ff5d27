/// One measured figure.
struct Figure: Encodable {
    /// The scenario, for example `batch ingest`.
    var scenario: String
    /// The name of the figure, for example `gateway CPU`.
    var name: String
    /// The value.
    var value: Double
    /// Its unit.
    var unit: String
    /// The upper limit of the value, if there is one.
    var limit: Double?
    /// The lower limit of the value, if there is one.
    var floor: Double?

    /// Whether the value is within its limit; nil without a limit.
    var isReached: Bool? {
        guard limit != nil || floor != nil else { return nil }
        return value <= limit ?? .infinity && value >= floor ?? -.infinity
    }
}
