package import GatewayStorage

/// Who asks for an administrative change, and in which request: what the audit trail says beside the change itself.
package struct AuditOrigin: Sendable, Equatable {
    /// Who asks.
    package var actor: AuditActor
    /// The request's id; nil for the process itself.
    package var requestID: String?

    /// The process itself: the demo, and tests that ask for nothing else.
    package static let gateway = AuditOrigin(actor: .gateway, requestID: nil)

    /// Takes a caller.
    ///
    /// - Parameters:
    ///   - actor: Who asks.
    ///   - requestID: The request's id.
    package init(actor: AuditActor, requestID: String?) {
        self.actor = actor
        self.requestID = requestID
    }
}
