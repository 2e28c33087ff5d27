internal import GatewayModel
internal import Identity
internal import PushPayloads

extension JSONWriter {
    /// Appends a credential; with its secret only when it was just made.
    mutating func credential(_ credential: CredentialSummary, secret: String?) {
        literal(#"{"id":"#)
        string(credential.id)
        literal(#","kind":"#)
        string(credential.kind.rawValue)
        literal(#","name":"#)
        string(credential.name)
        if let secret {
            literal(#","secret":"#)
            string(secret)
        }
        switch credential.kind {
        case .serviceAccount:
            literal(#","scopes":["#)
            for (index, scope) in credential.scopes.enumerated() {
                if index > 0 { literal(",") }
                string(scope.rawValue)
            }
            literal("]")
        case .sdkKey:
            literal(#","algorithm":"#)
            string(orNull: credential.algorithm?.rawValue)
            literal(#","app":"#)
            string(orNull: credential.app?.rawValue)
        }
        literal(#","expiresAt":"#)
        timestamp(orNull: credential.expiresAt)
        literal(#","createdAt":"#)
        timestamp(credential.createdAt)
        literal("}")
    }
}
