package import GatewayModel

/// How far a brand's webhook is, as it is stored: what survives a restart of the gateway.
package struct WebhookState: Sendable, Equatable {
    /// Rises with every change of the settings and every replay; what was decided on an older one is not stored.
    package var revision: Int64
    /// Up to where the receiver has taken everything.
    package var mark: Int64
    /// Up to where the batch on its way goes, decided before its first try so that every try is the same; nil between
    /// batches.
    package var batchThrough: Int64?
    /// How often the batch was tried in vain.
    package var attempts: Int
    /// No try before this moment; nil is at once.
    package var nextTry: Timestamp?
    /// When the last try ended; nil when there was none.
    package var lastTriedAt: Timestamp?
    /// The HTTP status of the last try; nil when there was no answer.
    package var lastStatus: Int?
    /// Why the last try failed, a stable word; nil when it did not.
    package var lastError: String?
    /// Whether the receiver said 410: nothing is posted until the settings are set again.
    package var isSwitchedOff: Bool

    /// A webhook that has not been tried yet.
    ///
    /// - Parameters:
    ///   - mark: Behind which position it begins.
    ///   - revision: Which change of settings it follows.
    package init(mark: Int64, revision: Int64 = 1) {
        self.revision = revision
        self.mark = mark
        batchThrough = nil
        attempts = 0
        nextTry = nil
        lastTriedAt = nil
        lastStatus = nil
        lastError = nil
        isSwitchedOff = false
    }
}
