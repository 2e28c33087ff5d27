internal import Delivery
internal import GatewayModel
internal import Telemetry

/// Passes the events of one request to the delivery core, piece by piece.
struct EventIntake {
    private let delivery: DeliveryService
    private let brand: Brand
    private let trace: RecordedSpan?
    private var isAnyTaken = false
    /// The error of a piece that was not accepted; no later piece is tried, so that later events never overtake earlier
    /// ones.
    private var failure: IntakeError?

    init(delivery: DeliveryService, brand: Brand, trace: RecordedSpan? = nil) {
        self.delivery = delivery
        self.brand = brand
        self.trace = trace
    }

    init(_ call: Call, brand: Brand) {
        self.init(delivery: call.services.delivery, brand: brand, trace: call.context.trace)
    }

    /// Submits a piece; returns when it is on disk, or when it is known that it will not be.
    ///
    /// - Parameter events: The valid events of the piece.
    /// - Returns: The result of each event, in order.
    /// - Throws: `Problem` 503 when nothing of the request has been stored.
    mutating func take(_ events: [AgentEvent]) async throws(Problem) -> [IntakeResult] {
        guard !events.isEmpty else { return [] }
        if let failure { return Array(repeating: .failed(failure), count: events.count) }
        do {
            let results = try await delivery.accept(brand: brand, events: withAssumptions(events), trace: trace)
            isAnyTaken = true
            // The core splits a piece that is longer than one transaction, and then the piece may be accepted in part.
            if case .failed(.overloaded(let seconds)) = results.last {
                failure = .overloaded(retryAfterSeconds: seconds)
            }
            return results
        } catch {
            guard isAnyTaken else { throw Problem(error) }
            failure = error
            return Array(repeating: .failed(error), count: events.count)
        }
    }

    /// Submits all events of a request like ``take(_:)``, without a task that waits.
    ///
    /// - Parameters:
    ///   - events: The valid events.
    ///   - completion: Called once, on any thread, with the result of each event or the error of the request.
    func take(_ events: [AgentEvent], completion: @escaping @Sendable (Result<[IntakeResult], Problem>) -> Void) {
        guard !events.isEmpty else { return completion(.success([])) }
        delivery.accept(brand: brand, events: withAssumptions(events)[...], trace: trace) {
            completion($0.mapError { Problem($0) })
        }
    }

    /// Returns events with what the brand assumes of consumers who have not decided.
    private func withAssumptions(_ events: [AgentEvent]) -> [AgentEvent] {
        events.contains { $0.consent != nil } ? events.map(withAssumption) : events
    }

    private func withAssumption(_ event: AgentEvent) -> AgentEvent {
        var event = event
        let category = event.consent.flatMap { brand.settings.consentCategory($0.category) }
        event.consent?.isAssumed = category?.legitimateInterest ?? false
        return event
    }
}
