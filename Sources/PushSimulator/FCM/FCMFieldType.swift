/// The type of a field of an FCM message, in the JSON mapping of protocol buffers.
indirect enum FCMFieldType: Sendable {
    case string
    case bool
    case int32
    /// A floating-point number from 0 to 1.
    case fraction
    /// Seconds with at most nine decimals and the suffix `s`.
    case duration
    /// A time, RFC 3339.
    case timestamp
    /// A color, `#rrggbb`.
    case color
    /// One of the names; lower case too if FCM documents that.
    case enumeration([String], takesLowerCase: Bool)
    /// A map from string to string.
    case stringMap
    /// Any object.
    case anyObject
    case list(FCMFieldType)
    case message(FCMMessageType)
}
