/// One request that the simulator handled.
package struct SimulatedPush: Sendable {
    /// The result for the sender.
    package enum Result: String, Sendable {
        /// A response with status 200.
        case accepted
        /// Any other response.
        case refused
        /// No response: a rule closed the connection, reset the stream, left the request out of a GOAWAY, or sent
        /// nothing.
        case unanswered
    }

    /// The number in order of arrival, from 1; never reused, even after the list was cleared.
    package var number: Int
    /// The provider.
    package var provider: SimulatedProvider
    /// The time of arrival.
    package var time: SimulatorTime
    /// The result for the sender.
    package var result: Result
    /// The status of the response; nil without one.
    package var status: Int?
    /// The provider's reason for a rejection; without a response, the action of the rule: `drop`, `reset`, `goaway`,
    /// `silent` or `mute`.
    package var reason: String?
    /// The number of its connection, from 1 in one run of the simulator.
    package var connection: Int
    /// The device token, in lower case for APNs.
    package var token: String?
    /// The request's path.
    package var path: String
    /// The request's fields, including `authorization`, which tests of token rotation need.
    package var headers: [(name: String, value: String)]
    /// The request's body as received.
    package var body: [UInt8]

    /// The body, parsed; nil when it is not JSON.
    package var json: JSONValue? { try? JSONValue(parsing: self.body) }

    /// Returns the first value of a field.
    ///
    /// - Parameter name: The name in lower case.
    /// - Returns: The value; nil when the field is absent.
    package func header(_ name: String) -> String? {
        self.headers.first { $0.name == name }?.value
    }
}
