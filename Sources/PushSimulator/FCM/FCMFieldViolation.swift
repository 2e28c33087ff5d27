/// One field that FCM does not take.
struct FCMFieldViolation: Sendable, Equatable {
    /// The path with dots, in the sender's spelling; empty for the request itself.
    var field: String
    /// What is wrong, without the value.
    var text: String
}
