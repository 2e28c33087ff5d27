import GatewayModel

/// An active registration as the writer remembers it.
struct KnownRegistration {
    var id: Int64
    var lane: Int64
    var token: String
    var platform: DevicePlatform
    var receives: Receives
    var device: String
}
