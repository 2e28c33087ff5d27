internal import GatewayStorage

// The proofs that callers present in addition to their identity.
extension FieldChecks {
    /// Reads a push token that is presented as proof.
    mutating func proof(_ member: BodyMember) -> PushTokenProof? {
        guard let text = text(member) else { return nil }
        let proof = DeviceToken.proof(text)
        if proof == nil { fail(member.pointer, "must be a push token as a device registers it") }
        return proof
    }
}
