import Delivery
import GatewayModel
import Identity

/// Provides brands' retention periods to the housekeeper.
struct GatewayRetentionDirectory: RetentionDirectory {
    let directory: Directory

    var brands: [Brand] { directory.brands }
}
