/// One request and its response while its stream is open: a record of `ClientFraming`.
struct ClientExchange {
    var requestID: UInt64 = 0
    /// 0 while the record is free.
    var streamID: Int32 = 0
    var body: [UInt8] = []
    var bodyOffset = 0
    var status = 0
    var headers = HTTP2ResponseHeaders()
    var responseBody: [UInt8] = []
    /// Whether the peer ended its side.
    var isEnded = false
}
