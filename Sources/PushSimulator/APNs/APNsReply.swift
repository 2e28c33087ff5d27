/// Builds the responses of APNs.
///
/// Source: Apple, "Handling notification responses from APNs": 200 has no body, everything else a JSON object with
/// `reason`, and 410 the time in **milliseconds** when the token became invalid.
enum APNsReply {
    /// Builds the response to an accepted push.
    ///
    /// - Parameter id: The push's id, the sender's or a generated one.
    /// - Returns: The response.
    static func accepted(id: String) -> SimulatorReply {
        SimulatorReply(status: 200, headers: [("apns-id", id)])
    }

    /// Builds the response to a rejected push.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: Apple's reason.
    ///   - id: The push's id.
    ///   - timestamp: The time when the token became invalid, only with 410.
    /// - Returns: The response.
    static func refused(status: Int, reason: String, id: String, timestamp: SimulatorTime?) -> SimulatorReply {
        var members: [JSONValue.JSONMember] = [.init(name: "reason", value: .string(reason))]
        if status == 410, let timestamp {
            members.append(.init(name: "timestamp", value: .integer(timestamp.milliseconds)))
        }
        return SimulatorReply(
            status: status,
            headers: [("apns-id", id), ("content-type", "application/json")],
            body: JSONValue.object(members).text
        )
    }
}
