/// The limits of a connection whose requests are streamed.
///
/// Any thread.
package struct HTTP2StreamConfiguration: Sendable {
    /// MAX_CONCURRENT_STREAMS.
    package var maxStreams = 128

    /// The bytes of all request bodies of the connection that wait to be read; a single one may have 65,535, the window of
    /// a stream (RFC 9113 section 6.9.2).
    package var connectionWindow = 262_144

    /// MAX_HEADER_LIST_SIZE: the size of a request's head as RFC 9113 section 6.5.2 counts it.
    package var maxHeadBytes: Int

    /// The most header fields of a request.
    package var maxFields: Int

    /// Whether clients may send extended CONNECT (ENABLE_CONNECT_PROTOCOL, RFC 8441 section 3).
    package var takesExtendedConnect = false

    /// Creates limits; the others have their defaults.
    package init(maxHeadBytes: Int, maxFields: Int) {
        self.maxHeadBytes = maxHeadBytes
        self.maxFields = maxFields
    }
}
