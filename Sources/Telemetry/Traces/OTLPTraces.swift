import TextFormats
import Tracing

/// The body of an OTLP/HTTP request for traces, as JSON (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding").
///
/// Trace and span ids are hexadecimal, enumerations are numbers, and 64-bit integers are texts.
package enum OTLPTraces {
    /// The media type.
    package static let contentType = "application/json"

    /// Writes an `ExportTraceServiceRequest`.
    ///
    /// - Parameters:
    ///   - spans: The spans.
    ///   - version: The version of the program.
    ///   - instance: An id of the process, `service.instance.id`.
    /// - Returns: The body.
    package static func body(_ spans: some Collection<SpanRecord>, version: String, instance: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + 700 * spans.count)
        writer.literal(#"{"resourceSpans":[{"resource":{"attributes":["#)
        write("service.name", .string("switchboard"), to: &writer)
        write("service.version", .string(version), to: &writer)
        write("service.instance.id", .string(instance), to: &writer)
        writer.literal(#"]},"scopeSpans":[{"scope":{"name":"switchboard"},"spans":["#)
        for span in spans {
            writer.separate()
            write(span, to: &writer)
        }
        writer.literal("]}]}]}")
        return writer.bytes
    }

    private static func write(_ span: SpanRecord, to writer: inout JSONWriter) {
        writer.literal("{")
        writer.member("traceId", span.identity.traceText)
        writer.member("spanId", span.identity.spanText)
        writer.member("parentSpanId", span.parent?.spanText)
        writer.member("name", span.name)
        writer.member("kind", number(of: span.kind))
        writer.member("startTimeUnixNano", String(span.start))
        writer.member("endTimeUnixNano", String(span.end))
        writer.name(known: "attributes")
        writer.literal("[")
        func append(_ name: String, _ value: SpanAttribute) { write(name, value, to: &writer) }
        span.attributes.forEach(append)
        writer.literal("]")
        if span.isError { writer.literal(#","status":{"code":2}"#) }
        writer.literal("}")
    }

    private static func number(of kind: SpanKind) -> Int64 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    /// Appends an attribute; one that is neither text, whole number nor flag is left out.
    private static func write(_ name: String, _ value: SpanAttribute, to writer: inout JSONWriter) {
        var inner = JSONWriter(capacity: 64)
        switch value {
        case .string(let text): inner.member("stringValue", text)
        case .int32(let number): inner.member("intValue", String(number))
        case .int64(let number): inner.member("intValue", String(number))
        case .bool(let flag):
            inner.name(known: "boolValue")
            inner.boolean(flag)
        default: return
        }
        writer.separate()
        writer.literal("{")
        writer.member("key", name)
        writer.name(known: "value")
        writer.literal("{")
        writer.raw(inner.bytes)
        writer.literal("}}")
    }
}
