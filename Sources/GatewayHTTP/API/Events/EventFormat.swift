internal import CSimdjson
package import HTTPTypes

/// The format of a body of events (SendingMessages page).
package enum EventFormat: Sendable {
    /// `application/json`: one event, or an array.
    case json
    /// `application/x-ndjson`: one event per line.
    case lines
    /// `application/cloudevents+json`: one CloudEvent.
    case cloudEvent
    /// `application/cloudevents-batch+json`: an array of CloudEvents.
    case cloudEventBatch
    /// CloudEvents' binary mode: the body is the `data` of one event, its attributes are headers.
    case binaryCloudEvent(CloudEventHeaders)

    /// The detail of the error for an unsupported `Content-Type`.
    static let rejection = """
        The body must be application/json, application/x-ndjson, application/cloudevents+json or \
        application/cloudevents-batch+json, in UTF-8.
        """

    /// Determines the format from the headers; nil for every type that the route does not support.
    ///
    /// `ce-specversion` with a type that is not CloudEvents' own means binary mode (its HTTP binding, section 3). The
    /// parameters of the type are ignored, except a charset other than UTF-8.
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

    /// Whether a body with these first bytes may contain many events; nil when there are no bytes yet.
    func isBatch(first byte: UInt8?) -> Bool {
        switch self {
        case .lines, .cloudEventBatch: true
        case .json: byte == UInt8(ascii: "[") || byte == nil
        case .cloudEvent, .binaryCloudEvent: false
        }
    }

    /// The format of each event's text.
    var form: event_form {
        switch self {
        case .json, .lines: EVENT_PLAIN
        case .cloudEvent, .cloudEventBatch: EVENT_ENVELOPE
        case .binaryCloudEvent: EVENT_PAYLOAD
        }
    }
}
