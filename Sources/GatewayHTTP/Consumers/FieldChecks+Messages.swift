internal import GatewayModel

// The members of a consumer's message, the same in a request and in a frame of a window.
extension FieldChecks {
    /// The client's own name for what it sends.
    mutating func clientID(_ member: BodyMember) -> ClientID? {
        identifier(member, as: ClientID.self, isRequired: true)
    }

    /// The text of a message.
    mutating func messageText(_ member: BodyMember) -> String? {
        content(member, atMost: EventLimits.textBytes, isRequired: true)
    }

    /// The member `data` of a message.
    mutating func messageData(of body: BodyObject) -> JSONText? { raw("data", of: body, atMost: EventLimits.dataBytes) }
}
