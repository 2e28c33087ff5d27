import NIOCore
import NIOHTTP1
import ProcessHarness

/// A route that a load calls.
struct LoadRoute: Sendable {
    /// A request of it.
    struct Request: Sendable {
        var body: [UInt8]
        /// The path, if it is not the same for all.
        var path: String?
        /// More header fields.
        var fields: [(name: String, value: String)] = []

        init(_ body: String) { self.body = Array(body.utf8) }
    }

    var path: String
    /// The value of `authorization`; empty for none.
    var authorization: String
    var method = HTTPMethod.POST
    /// The status of a request that was accepted.
    var status = HTTPResponseStatus.accepted
    /// Makes the request of a number, which no other request has.
    var request: @Sendable (Int) -> Request
}

/// Keep-alive connections that send requests which were made before, so that those of all routes arrive at the same pace.
struct PreparedLoad {
    private let clients: [KeepAliveClient]

    /// Connects.
    ///
    /// - Parameters:
    ///   - port: The port of the gateway on the loopback address.
    ///   - connections: The number of connections, each with one request at a time.
    ///   - group: Their event loops.
    /// - Throws: An error when the gateway does not accept them.
    init(port: Int, connections: Int, group: any EventLoopGroup) async throws {
        var clients: [KeepAliveClient] = []
        for _ in 0..<connections {
            clients.append(try await KeepAliveClient.connect(host: "127.0.0.1", port: port, group: group))
        }
        self.clients = clients
    }

    /// Sends requests; the connections take turns.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - route: Their route.
    /// - Throws: ``HarnessError`` when one is refused.
    func post(_ requests: [LoadRoute.Request], to route: LoadRoute) async throws {
        let step = clients.count
        let refused = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for (place, client) in clients.enumerated() {
                var work = RequestSequence(
                    path: route.path,
                    authorization: route.authorization,
                    contentType: "application/json"
                ) { number in
                    let number = place + number * step
                    return number < requests.count ? requests[number].body : nil
                }
                work.status = route.status
                work.edit = { number, head in
                    let request = requests[place + number * step]
                    head.method = route.method
                    if let path = request.path { head.uri = path }
                    if route.authorization.isEmpty { head.headers.remove(name: "authorization") }
                    for (name, value) in request.fields { head.headers.replaceOrAdd(name: name, value: value) }
                }
                tasks.addTask { [work] in try await client.run(work).refused }
            }
            return try await tasks.reduce(0, +)
        }
        guard refused == 0 else { throw HarnessError("\(route.path): \(refused) requests were refused") }
    }

    /// Closes the connections.
    func close() async {
        for client in clients { await client.close() }
    }
}
