import ProcessHarness

/// Returns a port that was free a moment ago.
func freePort() async throws -> String {
    let python = try ChildProcess(
        "/usr/bin/env",
        [
            "python3", "-c",
            "import socket; s=socket.socket(); s.bind(('127.0.0.1',0)); print('port',s.getsockname()[1])",
        ]
    )
    return try await python.line("port ")
}
