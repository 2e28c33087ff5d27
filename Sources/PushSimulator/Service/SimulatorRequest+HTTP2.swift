internal import HTTP2Connections

extension SimulatorRequest {
    /// Takes a request as the server read it.
    init(_ request: HTTP2ServerRequest) {
        self.init(method: request.method, path: request.path, headers: request.headers, body: request.body)
    }
}
