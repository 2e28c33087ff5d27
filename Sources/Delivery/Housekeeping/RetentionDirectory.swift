package import GatewayModel

/// The housekeeper's source of brands; implemented above it, where they are known.
package protocol RetentionDirectory: Sendable {
    /// All brands as they are now; callable from any thread.
    var brands: [Brand] { get }
}
