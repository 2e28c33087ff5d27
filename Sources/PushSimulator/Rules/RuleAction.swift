/// What a rule does to a request.
///
/// Everything may be combined; what ends a stream in two ways at once is refused when the rules are read.
///
/// A status or reason replaces an acceptance only: a request that is wrong in itself is refused for that. Everything else
/// applies to any request that fits.
package struct RuleAction: Sendable, Equatable {
    /// The HTTP status of the answer.
    package var status: Int?
    /// The provider's word for the refusal: Apple's `reason`, FCM's `errorCode` or an rpc status, OAuth's `error`.
    package var reason: String?
    /// With Apple's 410: milliseconds since the UNIX epoch; nil means the moment of the answer.
    package var timestamp: Int64?
    /// The `Retry-After` field: seconds, or an HTTP date.
    package var retryAfter: String?
    /// How long the answer is held back, 0 to 600,000.
    package var delayMilliseconds: Int
    /// A GOAWAY frame before the answer.
    package var goAway: GoAwayOrder?
    /// RST_STREAM with this code in place of an answer.
    package var resetCode: UInt32?
    /// The connection is cut without a word.
    package var drops: Bool
    /// A new SETTINGS_MAX_CONCURRENT_STREAMS before the answer; 0 forbids new streams.
    package var maxStreams: UInt32?
    /// An HTML page in place of the JSON body, as a front end in trouble sends it.
    package var html: String?
    /// These bytes in place of the answer's body, whatever they are.
    package var body: [UInt8]?
    /// The `Location` field, for a status that redirects.
    package var location: String?
    /// The signature of an id token is another than its key's.
    package var spoilsSignature: Bool
    /// No answer ever; the stream stays open.
    package var isSilent: Bool
    /// The first half of the answer's bytes, then the end of TCP without the end of TLS.
    package var truncates: Bool
    /// The connection stays open, but nothing is read or sent on it any more, answers to PING included.
    package var mutes: Bool
    /// Milliseconds between two bytes of all that is sent on the connection from now on, 1 to 60,000; 0 for no such order.
    package var dribbleMilliseconds: Int

    /// Takes the orders.
    ///
    /// - Parameters:
    ///   - status: The HTTP status of the answer.
    ///   - reason: The provider's word for the refusal.
    ///   - timestamp: With Apple's 410.
    ///   - retryAfter: The `Retry-After` field.
    ///   - delayMilliseconds: How long the answer is held back.
    ///   - goAway: A GOAWAY frame before the answer.
    ///   - resetCode: RST_STREAM in place of an answer.
    ///   - drops: The connection is cut.
    ///   - maxStreams: A new SETTINGS_MAX_CONCURRENT_STREAMS.
    ///   - html: An HTML page in place of the JSON body.
    ///   - body: These bytes in place of the answer's body.
    ///   - location: The `Location` field.
    ///   - spoilsSignature: The signature of an id token is wrong.
    ///   - isSilent: No answer ever.
    ///   - truncates: Half an answer, then the end of TCP.
    ///   - mutes: Nothing is read or sent on the connection any more.
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

    /// A GOAWAY frame that is to be sent (RFC 9113 section 6.8).
    package struct GoAwayOrder: Sendable, Equatable {
        /// The error code; 0 is NO_ERROR.
        package var code: UInt32
        /// Whether the frame's last-stream-id covers the request that caused it.
        ///
        /// If not, the request gets no answer and the client can tell that it was not processed.
        package var coversRequest: Bool
        /// The frame's last-stream-id in place of that, 0 to 2,147,483,647; never below a stream that was taken up before.
        package var lastStreamID: Int32?
        /// The debug data; nil means what the provider sends.
        package var debugData: String?

        /// Takes an order.
        ///
        /// - Parameters:
        ///   - code: The error code.
        ///   - coversRequest: Whether the last-stream-id covers the request that caused the frame.
        ///   - lastStreamID: The last-stream-id in place of that.
        ///   - debugData: The debug data; nil means what the provider sends.
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
