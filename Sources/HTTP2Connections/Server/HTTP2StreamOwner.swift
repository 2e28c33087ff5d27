package import NIOCore

/// The receiver of a connection's requests; called on the connection's event loop.
///
/// It may call the methods of the connection's ``HTTP2StreamHandler`` at any time.
package protocol HTTP2StreamOwner: AnyObject {
    /// Receives the head of a request.
    func headArrived(_ head: HTTP2RequestHead, stream: Int32)

    /// Receives bytes of a body, for which `consume` must be called.
    func bodyArrived(_ bytes: ByteBuffer, stream: Int32)

    /// Receives the end of a request.
    func requestEnded(stream: Int32)

    /// Receives the end of a response: its last frame is on its way.
    func responseSent(stream: Int32)

    /// Receives the end of a stream, also of one whose head was never complete.
    func streamClosed(_ stream: Int32)

    /// Called after frames were written: there may be room for more bytes of responses.
    func framesWritten()

    /// Called after received bytes were handled.
    ///
    /// - Parameter isWithinHead: Whether a part of the preface, of a head or of a control frame is missing.
    func bytesHandled(isWithinHead: Bool)

    /// Called when the client has exceeded its budget of frames; the connection ends.
    func flooded()

    /// Called when the gateway stops listening: `stop` should follow.
    func stopRequested()

    /// Receives the end of the connection; nothing follows.
    func connectionClosed()
}
