internal import CSimdjson
package import HTTPTypes

/// How a body holds events (SendingMessages page).
package enum EventFormat: Sendable {
    /// `application/json`: one event, or an array.
    case json
    /// `application/x-ndjson`: one a line.
    case lines
    /// `application/cloudevents+json`: one CloudEvent.
    case cloudEvent
    /// `application/cloudevents-batch+json`: an array of CloudEvents.
    case cloudEventBatch
    /// CloudEvents' binary mode: the body is the `data` of one, its attributes are headers.
    case binaryCloudEvent(CloudEventHeaders)

    /// What a caller is told whose `Content-Type` is none of these.
    static let refusal = """
        The body must be application/json, application/x-ndjson, application/cloudevents+json or \
        application/cloudevents-batch+json, in UTF-8.
        """

    /// Tells the format by the headers; nil for every type that the route does not take.
    ///
    /// `ce-specversion` beside a type that is not CloudEvents' own means binary mode (its HTTP binding, section 3); the
    /// parameters of the type are ignored but for a charset other than UTF-8.
    ///
    /// - Parameter headers: The request's.
    package init?(_ headers: HTTPFields) {
        let type = MediaTypeName(headers.value(.contentType) ?? "application/json")
        switch type {
        case "application/cloudevents+json": self = .cloudEvent
        case "application/cloudevents-batch+json": self = .cloudEventBatch
        case _ where headers.contains(.ceSpecVersion):
            guard type.isJSON, !type.isCloudEvents else { return nil }
            self = .binaryCloudEvent(CloudEventHeaders(headers))
        case "application/json": self = .json
        case "application/x-ndjson": self = .lines
        default: return nil
        }
    }

    /// Whether a body that begins like this may hold many events; nil when nothing of it is known yet.
    func isBatch(first byte: UInt8?) -> Bool {
        switch self {
        case .lines, .cloudEventBatch: true
        case .json: byte == UInt8(ascii: "[") || byte == nil
        case .cloudEvent, .binaryCloudEvent: false
        }
    }

    /// How each of its texts holds an event.
    var form: event_form {
        switch self {
        case .json, .lines: EVENT_PLAIN
        case .cloudEvent, .cloudEventBatch: EVENT_ENVELOPE
        case .binaryCloudEvent: EVENT_PAYLOAD
        }
    }
}
