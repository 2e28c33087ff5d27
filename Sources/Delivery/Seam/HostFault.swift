/// A fault of the host, other than an error of the store, that keeps the gateway from accepting events: what is
/// accepted must also be sent and recorded.
package enum HostFault: String, CaseIterable, Sendable {
    /// No file descriptor is left, so that no connection to a provider can be opened.
    case fileDescriptorsExhausted
    /// The disk is nearly full: the rest is reserved for the outcomes of accepted work.
    case diskSpaceLow
}
