import Foundation
import GatewayHTTP
import ProcessHarness

/// The same events of about 450 bytes in the forms that the route takes.
enum EventForms {
    /// A body of many events.
    struct Body {
        var name: String
        var format: EventFormat
        var bytes: [UInt8]
    }

    /// All batch forms of the same events.
    ///
    /// - Parameter count: How many events, 1 to 10,000.
    /// - Returns: A body each.
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

    /// The envelope around what is left of a plain event without its attributes.
    private static func cloud(_ event: String, number: Int) -> String {
        let attributes = #""id":"parse-\#(number)","type":"agent.message""#
        let members = event.replacingOccurrences(of: "{\(attributes),", with: "{")
        return #"{"specversion":"1.0","source":"/crm/agents",\#(attributes),"data":\#(members)}"#
    }
}
