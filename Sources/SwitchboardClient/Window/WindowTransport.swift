import Foundation

/// The way to the messaging window: one WebSocket (RFC 6455) with text messages.
///
/// On Apple's platforms the library uses `URLSessionWindowTransport`. FoundationNetworking has no WebSocket: on Linux an
/// app gives the `NIOWindowTransport` of the product `SwitchboardClientLinux`, or its own.
public protocol WindowTransport: Sendable {
    /// Opens a WebSocket once: the library decides about repetitions.
    ///
    /// - Parameter request: The request of the upgrade: an `http` or `https` URL stands for `ws` or `wss`. Its timeout is
    ///   that of the whole upgrade. Redirects must not be followed: the headers hold the session's token.
    /// - Returns: The open connection.
    /// - Throws: Any error without a connection; the library reports it as `connectivity`.
    func open(_ request: HTTPRequest) async throws -> any WindowConnection
}

/// An open WebSocket.
///
/// It answers the gateway's pings itself, and ends at a message of more than 64 KiB.
public protocol WindowConnection: Sendable {
    /// Queues a text message; messages keep their order. An error ends ``receive()``.
    ///
    /// The library sends at most 100 messages at once and 40 a second, so that little waits.
    ///
    /// - Parameter text: The message.
    func send(_ text: String)

    /// Returns the next message, or the close frame of the gateway, which is the last input.
    ///
    /// The library calls it again when it has handled the input before; until then the connection reads little ahead.
    ///
    /// - Returns: The input.
    /// - Throws: Any error if the connection ended without a close frame.
    func receive() async throws -> WindowInput

    /// Sends a ping and waits for the pong.
    ///
    /// - Throws: Any error if the connection ended.
    func ping() async throws

    /// Closes the connection at once, with the code 1000; ``receive()`` ends.
    func close()
}

/// An input of a WebSocket.
public enum WindowInput: Sendable, Hashable {
    /// A text message.
    case text(String)
    /// The close frame: its code, nil if it has none, and its reason text.
    case closed(code: Int?, reason: String)

    /// The end of a connection as `URLSession` states it; nil without a close frame.
    ///
    /// - Parameters:
    ///   - closeCode: The code: 0 if there is none yet, 1006 for a lost connection, 1005 for a frame without a code.
    ///   - reason: The bytes of the reason.
    init?(closeCode: Int, reason: Data?) {
        guard closeCode != 0, closeCode != 1006 else { return nil }
        let text = String(decoding: reason ?? Data(), as: UTF8.self)
        self = .closed(code: closeCode == 1005 ? nil : closeCode, reason: text)
    }
}
