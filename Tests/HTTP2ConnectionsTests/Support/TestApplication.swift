import HTTP2Connections
import Synchronization
import TestSupport

/// A server application that stores requests; the test sends the responses.
final class TestApplication: HTTP2ServerApplication {
    enum Event: Sendable {
        case opened(HTTP2ServerConnection, HTTP2ServerConnectionFacts)
        case requests([HTTP2ServerRequest], HTTP2ServerConnection)
        case closed(HTTP2ServerConnection)
    }

    typealias Responder = @Sendable (HTTP2ServerRequest) -> HTTP2ServerResponse?

    /// Every event, for the test to await.
    ///
    /// Unbounded, but limited by the test.
    let events: Mailbox<Event>
    private let respond: Responder?

    /// - Parameter respond: Makes an immediate response; `nil` leaves the stream open.
    init(respond: Responder? = nil) {
        events = Mailbox()
        self.respond = respond
    }

    func connectionOpened(_ connection: HTTP2ServerConnection, facts: HTTP2ServerConnectionFacts) {
        events.put(.opened(connection, facts))
    }

    func receive(_ requests: [HTTP2ServerRequest], on connection: HTTP2ServerConnection) {
        if let respond {
            for request in requests {
                if let response = respond(request) { request.stream.respond(response) }
            }
        }
        events.put(.requests(requests, connection))
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        events.put(.closed(connection))
    }
}

extension Mailbox where Element == TestApplication.Event {
    /// Waits for requests until there are `count` of them.
    func requests(_ count: Int) async -> [HTTP2ServerRequest] {
        var found: [HTTP2ServerRequest] = []
        while found.count < count {
            if case .requests(let more, _) = await next() { found += more }
        }
        return found
    }

    /// Waits for a connection to open.
    func opened() async -> (HTTP2ServerConnection, HTTP2ServerConnectionFacts) {
        while true {
            if case .opened(let connection, let facts) = await next() { return (connection, facts) }
        }
    }

    /// Waits for a connection to close.
    func closed() async -> HTTP2ServerConnection {
        while true {
            if case .closed(let connection) = await next() { return connection }
        }
    }
}
