/// What became of one request, for metrics; holds nothing of its content.
package struct RequestSummary: Sendable {
    /// The method.
    package var method: String
    /// The route as it was declared, for example `/v1/brands/:brand/events`; `NotFound` when there was none.
    package var route: String
    /// The HTTP status.
    package var status: Int
    /// From the first byte of the route's work to its answer.
    package var nanoseconds: UInt64
}
