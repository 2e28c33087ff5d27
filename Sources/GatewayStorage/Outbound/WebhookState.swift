package import GatewayModel

/// The stored state of a brand's webhook or of a hook's replies, which survives a restart of the gateway.
package struct WebhookState: Sendable, Equatable {
    /// Rises with every change of the settings and every replay; a state that is based on an older one is not stored.
    package var revision: Int64
    /// The position up to which the receiver has accepted everything.
    package var mark: Int64
    /// The last position of the batch in flight, set before its first try so that every try is the same; nil between
    /// batches.
    package var batchThrough: Int64?
    /// The number of failed tries of the batch.
    package var attempts: Int
    /// No try before this moment; nil means at once.
    package var nextTry: Timestamp?
    /// When the last try ended; nil when there was none.
    package var lastTriedAt: Timestamp?
    /// The HTTP status of the last try; nil when there was no response.
    package var lastStatus: Int?
    /// The error of the last try, a stable word; nil when it succeeded.
    package var lastError: String?
    /// Whether the receiver responded with 410: nothing is posted until the settings are set again.
    package var isSwitchedOff: Bool

    /// Creates the state of a webhook that has not been tried yet and begins after `mark`.
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
