import GatewayModel
import GatewayStorage

/// Short names for what most cases check.
extension WriterTurnResult {
    var withdrawn: [WithdrawnRow] { updates.withdrawn }
    var unread: [ConsumerKey: Int64] { updates.unread }
    var windowEvents: [WindowEvent] { updates.windowEvents }
}
