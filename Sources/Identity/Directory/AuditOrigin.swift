package import GatewayStorage

/// The caller of an administrative change and its request, for the audit trail.
package struct AuditOrigin: Sendable, Equatable {
    /// The caller.
    package var actor: AuditActor
    /// The request's id; nil for the process itself.
    package var requestID: String?

    /// The process itself: for changes without a request, and for tests that need no other caller.
    package static let gateway = AuditOrigin(actor: .gateway, requestID: nil)

    /// Creates an origin.
    package init(actor: AuditActor, requestID: String?) {
        self.actor = actor
        self.requestID = requestID
    }
}
