package import GatewayModel

/// What the housekeeper must be told about brands; implemented above it, where they are known.
package protocol RetentionDirectory: Sendable {
    /// All brands as they are now; any thread.
    var brands: [Brand] { get }
}
