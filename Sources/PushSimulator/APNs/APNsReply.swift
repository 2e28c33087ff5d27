/// Builds the answers of APNs.
///
/// Source: Apple, "Handling notification responses from APNs": 200 has no body, everything else a JSON object with
/// `reason`, and 410 the moment in **milliseconds** at which the token was found invalid.
enum APNsReply {
    /// The answer to an accepted push.
    ///
    /// - Parameter id: The push's id, the sender's or one made here.
    /// - Returns: The answer.
    static func accepted(id: String) -> SimulatorReply {
        SimulatorReply(status: 200, headers: [("apns-id", id)])
    }

    /// The answer to a refused push.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: Apple's word.
    ///   - id: The push's id.
    ///   - timestamp: With 410 only.
    /// - Returns: The answer.
    static func refused(status: Int, reason: String, id: String, timestamp: SimulatorTime?) -> SimulatorReply {
        var members: [JSONValue.JSONMember] = [.init(name: "reason", value: .string(reason))]
        if status == 410, let timestamp {
            members.append(.init(name: "timestamp", value: .integer(timestamp.milliseconds)))
        }
        return SimulatorReply(
            status: status,
            headers: [("apns-id", id), ("content-type", "application/json")],
            body: JSONWriter.bytes(of: .object(members))
        )
    }
}
