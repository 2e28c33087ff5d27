internal import HTTP2Connections

extension SimulatorRequest {
    /// Converts a request of the HTTP/2 server.
    init(_ request: HTTP2ServerRequest) {
        self.init(method: request.method, path: request.path, headers: request.headers, body: request.body)
    }
}
