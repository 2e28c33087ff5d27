/// Why a device is not pushed to any more, as the outbound feed says it.
package enum UnregisterReason: String, CaseIterable, Sendable {
    /// The device or the back-end deleted the registration, or another login took its place (`singleDevice`).
    case unregistered
    /// The device's session was ended by itself.
    case logout
    /// The back-end ended the consumer's sessions.
    case remoteLogout = "remote_logout"
    /// The provider said that the token is dead.
    case tokenDead = "token_dead"
    /// The token was registered by another device or consumer.
    case tokenMoved = "token_moved"
    /// The device was registered anew for another consumer or another way out.
    case replaced
    /// The app was deleted.
    case appDeleted = "app_deleted"
    /// The device was not heard of for as long as its brand keeps devices.
    case stale
}
