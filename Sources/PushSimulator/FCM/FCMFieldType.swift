/// What a field of an FCM message may hold, after the JSON mapping of protocol buffers.
indirect enum FCMFieldType: Sendable {
    case string
    case bool
    case int32
    /// A floating-point number from 0 to 1.
    case fraction
    /// Seconds with at most nine decimals and the suffix `s`.
    case duration
    /// RFC 3339.
    case timestamp
    /// `#rrggbb`.
    case color
    /// One of the names; with lower case taken too where FCM documents that.
    case enumeration([String], takesLowerCase: Bool)
    /// String to string.
    case stringMap
    /// Any object.
    case anyObject
    case list(FCMFieldType)
    case message(FCMMessageType)
}
