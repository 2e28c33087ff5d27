/// One field that FCM rejects.
struct FCMFieldViolation: Sendable, Equatable {
    /// The path with dots, in the sender's spelling; empty for the request itself.
    var field: String
    /// The description of the error, without the value.
    var text: String
}
