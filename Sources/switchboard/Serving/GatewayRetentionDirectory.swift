import Delivery
import GatewayModel
import Identity

/// Tells the housekeeper how long brands keep things.
struct GatewayRetentionDirectory: RetentionDirectory {
    let directory: Directory

    var brands: [Brand] { directory.brands }
}
