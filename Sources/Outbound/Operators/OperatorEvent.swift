import Cryptography
package import GatewayModel
import TextFormats

/// An event about a condition of the gateway.
package struct OperatorEvent: Sendable, Equatable {
    /// The change that an event is about.
    package enum State: String, Sendable, CaseIterable {
        /// The condition holds.
        case begun
        /// The condition has reached another step.
        case changed
        /// The condition is over.
        case ended
    }

    /// Its number since the start of the process, from 1.
    package var position: Int64
    /// The time at which it was found.
    package var time: Timestamp
    /// The change.
    package var state: State
    /// The beginning of the condition.
    package var since: Timestamp
    /// The condition; as it was, when it has ended.
    package var condition: OperatorCondition
}

/// One POST of operator events: the same events have the same id and the same body at every attempt.
package struct OperatorEventBatch: Sendable, Equatable {
    /// The maximum of events.
    package static let maxEvents = 100

    /// The events, in order.
    package let events: [OperatorEvent]
    /// `webhook-id`.
    package let id: String
    /// The JSON text.
    package let body: [UInt8]

    /// Creates a batch.
    ///
    /// - Parameters:
    ///   - events: One event or more, in order.
    ///   - lost: The number of events that were lost since the batch before.
    ///   - startedAt: The start of the process, to which positions belong.
    package init(_ events: [OperatorEvent], lost: Int, startedAt: Timestamp) {
        self.events = events
        var writer = JSONWriter(capacity: 64 + events.count * 256)
        writer.literal("{")
        writer.member("startedAt", startedAt.rfc3339)
        if lost > 0 { writer.member("lost", Int64(lost)) }
        writer.array("items", events) { $0.operatorEvent($1) }
        writer.literal("}")
        body = writer.bytes
        id = "op_" + Hexadecimal.text(SHA256.hash(data: body).prefix(16))
    }
}

extension JSONWriter {
    fileprivate mutating func operatorEvent(_ event: OperatorEvent) {
        let condition = event.condition
        literal("{")
        member("position", event.position)
        member("type", condition.subject.type.rawValue)
        member("time", event.time.rfc3339)
        literal(#","data":{"#)
        member("state", event.state.rawValue)
        member("since", event.since.rfc3339)
        member("brand", condition.subject.brand?.rawValue)
        member("name", condition.subject.name)
        member("level", condition.level)
        member("expiresAt", condition.expiresAt?.rfc3339)
        member("status", condition.status.map(Int64.init))
        member("reason", condition.reason)
        literal("}}")
    }
}
