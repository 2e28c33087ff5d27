/// The reason why a device gets no more pushes, as the outbound feed states it.
package enum UnregisterReason: String, CaseIterable, Sendable {
    /// The device or the back-end deleted the registration, or another login replaced it (`singleDevice`).
    case unregistered
    /// The device ended its session.
    case logout
    /// The back-end ended the consumer's sessions.
    case remoteLogout = "remote_logout"
    /// The provider reported the token as dead.
    case tokenDead = "token_dead"
    /// The token was registered by another device or consumer.
    case tokenMoved = "token_moved"
    /// The device was registered again for another consumer or another lane.
    case replaced
    /// The app was deleted.
    case appDeleted = "app_deleted"
    /// The device was inactive for longer than its brand keeps devices.
    case stale
}
