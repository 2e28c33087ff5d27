internal import Delivery
internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// A request whose events are one piece, as its route reads it: the same with the router and without.
struct EventSubmission: Sendable {
    /// The content of a response.
    typealias Answer = (status: HTTPResponse.Status, body: ByteBuffer)

    /// The caller for which the request is counted.
    let caller: Caller
    /// The brand of the events.
    let brand: Brand
    /// The valid events; empty when the response needs none.
    let events: [AgentEvent]
    /// Returns the response to the results of the events, or throws the error of the request.
    let answer: @Sendable (_ requestID: String, _ results: [IntakeResult]) throws(Problem) -> Answer
}

extension EventSubmission {
    /// Creates the submission of a piece, whose response is that of the events route.
    init(caller: Caller, brand: Brand, _ piece: EventBatch, isBatch: Bool = false) {
        self.init(caller: caller, brand: brand, events: piece.events) { id, results throws(Problem) in
            var response = EventsResponse(requestID: id)
            try response.append(piece, results, isBatch: isBatch)
            return (.accepted, response.body)
        }
    }

    /// Stores the events, and returns the response; for routes of the router.
    func perform(_ call: Call) async throws(Problem) -> Response {
        var intake = EventIntake(call, brand: brand)
        let (status, body) = try answer(call.requestID, try await intake.take(events))
        return ResponseFactory.json(status, body)
    }
}
