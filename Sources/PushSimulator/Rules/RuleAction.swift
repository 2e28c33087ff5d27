/// The effect of a rule on a request.
///
/// All members may be combined; a rule that ends a stream in two ways at once is rejected when it is parsed.
///
/// A status or reason replaces only an acceptance: an invalid request keeps its own error. All other members apply to
/// any matching request.
package struct RuleAction: Sendable, Equatable {
    /// The HTTP status of the response.
    package var status: Int?
    /// The provider's reason for the rejection: Apple's `reason`, FCM's `errorCode` or an rpc status, OAuth's `error`.
    package var reason: String?
    /// With Apple's 410: milliseconds since the UNIX epoch; nil means the time of the response.
    package var timestamp: Int64?
    /// The `Retry-After` field: seconds, or an HTTP date.
    package var retryAfter: String?
    /// The delay of the response in milliseconds, 0 to 600,000.
    package var delayMilliseconds: Int
    /// A GOAWAY frame before the response.
    package var goAway: GoAwayOrder?
    /// RST_STREAM with this code instead of a response.
    package var resetCode: UInt32?
    /// Whether the connection is closed without a response.
    package var drops: Bool
    /// A new SETTINGS_MAX_CONCURRENT_STREAMS before the response; 0 forbids new streams.
    package var maxStreams: UInt32?
    /// An HTML page instead of the JSON body, like that of a failing front end.
    package var html: String?
    /// Any bytes instead of the response's body.
    package var body: [UInt8]?
    /// The `Location` field, for a status that redirects.
    package var location: String?
    /// Whether the signature of an id token is made invalid.
    package var spoilsSignature: Bool
    /// Whether there is never a response; the stream stays open.
    package var isSilent: Bool
    /// Whether only the first half of the response's bytes is sent, then TCP closes without the end of TLS.
    package var truncates: Bool
    /// Whether the connection stays open, but nothing is read or sent on it any more, including responses to PING.
    package var mutes: Bool
    /// Milliseconds between two bytes of all that is sent on the connection from now on, 1 to 60,000; 0 disables it.
    package var dribbleMilliseconds: Int

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - status: The HTTP status of the response.
    ///   - reason: The provider's reason for the rejection.
    ///   - timestamp: With Apple's 410.
    ///   - retryAfter: The `Retry-After` field.
    ///   - delayMilliseconds: The delay of the response.
    ///   - goAway: A GOAWAY frame before the response.
    ///   - resetCode: RST_STREAM instead of a response.
    ///   - drops: Whether the connection is closed.
    ///   - maxStreams: A new SETTINGS_MAX_CONCURRENT_STREAMS.
    ///   - html: An HTML page instead of the JSON body.
    ///   - body: Bytes instead of the response's body.
    ///   - location: The `Location` field.
    ///   - spoilsSignature: Whether the signature of an id token is made invalid.
    ///   - isSilent: Whether there is never a response.
    ///   - truncates: Whether half a response is sent, then TCP closes.
    ///   - mutes: Whether nothing is read or sent on the connection any more.
    ///   - dribbleMilliseconds: Milliseconds between two bytes from now on.
    package init(
        status: Int? = nil,
        reason: String? = nil,
        timestamp: Int64? = nil,
        retryAfter: String? = nil,
        delayMilliseconds: Int = 0,
        goAway: GoAwayOrder? = nil,
        resetCode: UInt32? = nil,
        drops: Bool = false,
        maxStreams: UInt32? = nil,
        html: String? = nil,
        body: [UInt8]? = nil,
        location: String? = nil,
        spoilsSignature: Bool = false,
        isSilent: Bool = false,
        truncates: Bool = false,
        mutes: Bool = false,
        dribbleMilliseconds: Int = 0
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
        self.delayMilliseconds = delayMilliseconds
        self.goAway = goAway
        self.resetCode = resetCode
        self.drops = drops
        self.maxStreams = maxStreams
        self.html = html
        self.body = body
        self.location = location
        self.spoilsSignature = spoilsSignature
        self.isSilent = isSilent
        self.truncates = truncates
        self.mutes = mutes
        self.dribbleMilliseconds = dribbleMilliseconds
    }

    /// A GOAWAY frame to send (RFC 9113 section 6.8).
    package struct GoAwayOrder: Sendable, Equatable {
        /// The error code; 0 is NO_ERROR.
        package var code: UInt32
        /// Whether the frame's last-stream-id covers the request that caused it.
        ///
        /// If not, the request gets no response, and the client knows that it was not processed.
        package var coversRequest: Bool
        /// An explicit last-stream-id instead, 0 to 2,147,483,647; never below a stream that was already processed.
        package var lastStreamID: Int32?
        /// The debug data; nil means the provider's default.
        package var debugData: String?

        /// Creates an order.
        ///
        /// - Parameters:
        ///   - code: The error code.
        ///   - coversRequest: Whether the last-stream-id covers the request that caused the frame.
        ///   - lastStreamID: An explicit last-stream-id instead.
        ///   - debugData: The debug data; nil means the provider's default.
        package init(
            code: UInt32 = 0,
            coversRequest: Bool = true,
            lastStreamID: Int32? = nil,
            debugData: String? = nil
        ) {
            self.code = code
            self.coversRequest = coversRequest
            self.lastStreamID = lastStreamID
            self.debugData = debugData
        }
    }
}
