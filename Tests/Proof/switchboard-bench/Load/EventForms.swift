import Foundation
import GatewayHTTP
import ProcessHarness

/// The same events of about 450 bytes in the formats that the route accepts.
enum EventForms {
    /// A body of many events.
    struct Body {
        var name: String
        var format: EventFormat
        var bytes: [UInt8]
    }

    /// Returns all batch formats of the same events.
    ///
    /// - Parameter count: The number of events, 1 to 10,000.
    /// - Returns: One body per format.
    static func bodies(count: Int) -> [Body] {
        let plain = (0..<count).map { EventBodies.event(run: "parse", number: $0, consumers: 10_000) }
        let clouds = plain.enumerated().map { cloud($1, number: $0) }
        return [
            Body(name: "NDJSON", format: .lines, bytes: Array(plain.joined(separator: "\n").utf8)),
            Body(name: "plain array", format: .json, bytes: array(plain)),
            Body(name: "CloudEvents batch", format: .cloudEventBatch, bytes: array(clouds)),
        ]
    }

    private static func array(_ events: [String]) -> [UInt8] { Array(("[" + events.joined(separator: ",") + "]").utf8) }

    /// Wraps a plain event, without its attributes, in a CloudEvents envelope.
    private static func cloud(_ event: String, number: Int) -> String {
        let attributes = #""id":"parse-\#(number)","type":"agent.message""#
        let members = event.replacingOccurrences(of: "{\(attributes),", with: "{")
        return #"{"specversion":"1.0","source":"/crm/agents",\#(attributes),"data":\#(members)}"#
    }
}
