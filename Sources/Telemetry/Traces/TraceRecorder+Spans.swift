package import GatewayModel
import Tracing

/// The spans of the gateway: no text of a message, token or secret is in them.
extension TraceRecorder {
    /// Starts the span of a request; nil when the trace is not recorded.
    ///
    /// A valid `traceparent` decides; without one the share does.
    package func startRequest(traceParent: String?) -> RecordedSpan? {
        let parent = traceParent.flatMap(SpanIdentity.init(traceParent:))
        guard parent?.isSampled ?? isInShare() else { return nil }
        let start = now.nanosecondsSinceEpoch
        let identity = parent.map(SpanIdentity.init(parent:)) ?? SpanIdentity(isSampled: true)
        let record = SpanRecord(identity, of: parent, .server, "request", from: start, to: start)
        return RecordedSpan(record, context: .topLevel, recorder: self, startedAt: clock.monotonicNanoseconds)
    }

    /// Records the span of one attempt to send a push, when its result is known.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - delivery: The delivery.
    ///   - message: The message.
    ///   - attempt: The number of the attempt, from 1.
    ///   - lane: The lane.
    ///   - parent: The span that stored the event.
    package func recordPush(
        _ response: PushResponse,
        delivery: DeliveryID,
        message: MessageID,
        attempt: Int,
        lane: LaneKey,
        parent: SpanIdentity
    ) {
        let start = Self.instant(response.sentAt).nanosecondsSinceEpoch
        var record = SpanRecord(
            SpanIdentity(parent: parent),
            of: parent,
            .client,
            "push \(lane.pushType.rawValue)",
            from: start,
            to: start &+ UInt64(max(response.latencyMilliseconds, 0)) &* 1_000_000
        )
        record.owner = lane.brand.rawValue
        record.isError = !response.outcome.isAccepted
        record.attributes = [
            "switchboard.brand": .string(lane.brand.rawValue), "switchboard.app": .string(lane.app.rawValue),
            "switchboard.provider": .string(lane.pushType.rawValue), "switchboard.message.id": .string("\(message)"),
            "switchboard.delivery.id": .string("\(delivery)"), "switchboard.attempt": .int64(Int64(attempt)),
            "switchboard.outcome": .string(OutcomeLabel(response.outcome).rawValue),
            "http.response.status_code": .int64(Int64(response.status)),
        ]
        if response.reason != nil { record.attributes["error.type"] = ReasonLabel.label(response.reason) }
        queue.add(record)
    }
}

extension RecordedSpan {
    /// Ends the span of a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - route: The route as it was declared.
    ///   - status: The HTTP status.
    ///   - brand: The brand; nil when the caller is unknown.
    ///   - requestID: The request's id.
    ///   - errorCode: The code of the error; nil for a success.
    package func finishRequest(
        method: String,
        route: String,
        status: Int,
        brand: BrandID?,
        requestID: String,
        errorCode: String?
    ) {
        let method = HTTPMetrics.label(of: method)
        finish { record in
            record.name = "\(method) \(route)"
            record.isError = status >= 500
            record.owner = brand?.rawValue ?? ""
            record.attributes = [
                "http.request.method": .string(method), "http.route": .string(route),
                "http.response.status_code": .int64(Int64(status)), "switchboard.request.id": .string(requestID),
            ]
            record.attributes["switchboard.brand"] = brand?.rawValue
            record.attributes["error.type"] = errorCode
        }
    }

    /// Starts the span of storing events, a child of this one.
    package func startStoring() -> RecordedSpan {
        recorder.startSpan("store events", context: context, ofKind: .internal, at: recorder.now)
    }

    /// Ends the span of storing events.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - events: The number of events.
    ///   - message: The message of a single event.
    ///   - isStored: Whether they are on disk.
    package func finishStoring(brand: BrandID, events: Int, message: MessageID?, isStored: Bool) {
        let message: String? = message.map { "\($0)" }
        finish { record in
            record.isError = !isStored
            record.owner = brand.rawValue
            record.attributes = [
                "switchboard.brand": .string(brand.rawValue), "switchboard.events": .int64(Int64(events)),
            ]
            record.attributes["switchboard.message.id"] = message
        }
    }
}
