internal import GatewayStorage

// What callers show beside their identity.
extension FieldChecks {
    /// A push token that is shown as proof.
    mutating func proof(_ member: BodyMember) -> PushTokenProof? {
        guard let text = text(member) else { return nil }
        let proof = DeviceToken.proof(text)
        if proof == nil { fail(member.pointer, "must be a push token as a device registers it") }
        return proof
    }
}
