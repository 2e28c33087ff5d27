internal import GatewayModel

// The members of a consumer's message, the same in a request and in a frame of a window.
extension FieldChecks {
    /// Reads the client's own id of the message.
    mutating func clientID(_ member: BodyMember) -> ClientID? {
        identifier(member, as: ClientID.self, isRequired: true)
    }

    /// Reads the text of a message.
    mutating func messageText(_ member: BodyMember) -> String? {
        content(member, atMost: EventLimits.textBytes, isRequired: true)
    }

    /// Reads the member `data` of a message.
    mutating func messageData(of body: BodyObject) -> JSONText? { raw("data", of: body, atMost: EventLimits.dataBytes) }
}
