/// A fault of the machine beside the store's own that keeps the gateway from taking events: what is accepted must also be
/// sent and recorded.
package enum MachineFault: String, CaseIterable, Sendable {
    /// No file descriptor is left, so that no connection to a provider can be opened.
    case fileDescriptorsExhausted
    /// The disk is nearly full: what is left is kept for the outcomes of accepted work.
    case diskSpaceLow
}
