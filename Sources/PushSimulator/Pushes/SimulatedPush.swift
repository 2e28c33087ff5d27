/// One request that the simulator judged.
package struct SimulatedPush: Sendable {
    /// What the sender gets to see.
    package enum Result: String, Sendable {
        /// An answer with status 200.
        case accepted
        /// Any other answer.
        case refused
        /// No answer: a rule cut the connection, reset the stream, left the request out of a GOAWAY, or kept silent.
        case unanswered
    }

    /// Counts from 1 in order of arrival; never used twice, also not after the list was cleared.
    package var number: Int
    /// Who was asked.
    package var provider: SimulatedProvider
    /// When it arrived.
    package var time: SimulatorTime
    /// What the sender gets to see.
    package var result: Result
    /// The status of the answer; nil without one.
    package var status: Int?
    /// The provider's word for a refusal; without an answer, what happened: `drop`, `reset`, `goaway`,
    /// `silent` or `mute`.
    package var reason: String?
    /// The connection it came over; counts from 1 in one run of the simulator.
    package var connection: Int
    /// The device token: of APNs in lower case.
    package var token: String?
    /// The request's path.
    package var path: String
    /// The request's fields, `authorization` included: tests of token rotation look at it.
    package var headers: [(name: String, value: String)]
    /// The request's body as received.
    package var body: [UInt8]

    /// The body, parsed; nil when it is not JSON.
    package var json: JSONValue? { try? JSONParser.parse(self.body) }

    /// The first value of a field.
    ///
    /// - Parameter name: In lower case.
    /// - Returns: Nil when the field is absent.
    package func header(_ name: String) -> String? {
        self.headers.first { $0.name == name }?.value
    }
}
