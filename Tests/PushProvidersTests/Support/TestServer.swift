import HTTP2Connections
import Synchronization
import TestSupport

/// A server in place of Apple and Google: stores requests and responds as the test defines.
final class TestServer: HTTP2ServerApplication {
    /// Nil leaves the stream open.
    typealias Responder = @Sendable (HTTP2ServerRequest) -> HTTP2ServerResponse?

    /// Pushes.
    let pushes = Mailbox<HTTP2ServerRequest>()
    /// Requests of access tokens.
    let grants = Mailbox<HTTP2ServerRequest>()
    let closed = Mailbox<UInt64>()
    private let respond: Mutex<Responder>

    init(respond: @escaping Responder) {
        self.respond = Mutex(respond)
    }

    func setResponder(_ respond: @escaping Responder) {
        self.respond.withLock { $0 = respond }
    }

    func receive(_ requests: [HTTP2ServerRequest], on connection: HTTP2ServerConnection) {
        let respond = respond.withLock { $0 }
        for request in requests {
            if let response = respond(request) { request.stream.respond(response) }
            (request.path == "/token" ? grants : pushes).put(request)
        }
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        closed.put(connection.id)
    }
}

extension HTTP2ServerResponse {
    /// A response with a JSON body.
    static func json(_ status: Int, _ text: String, headers: [(name: String, value: String)] = []) -> Self {
        HTTP2ServerResponse(
            status: status,
            headers: headers + [("content-type", "application/json")],
            body: Array(text.utf8)
        )
    }

    /// The response of APNs to an accepted push.
    static func apns(_ request: HTTP2ServerRequest) -> Self {
        HTTP2ServerResponse(status: 200, headers: [("apns-id", request["apns-id"] ?? "")])
    }

    /// The response of FCM to an accepted push.
    static let fcm = HTTP2ServerResponse.json(200, #"{"name":"projects/proj-1/messages/0:1"}"#)

    /// An access token.
    static func grant(_ token: String, seconds: Int = 3600) -> Self {
        .json(200, #"{"access_token":"\#(token)","expires_in":\#(seconds),"token_type":"Bearer"}"#)
    }
}
