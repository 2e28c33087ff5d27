internal import HTTPTypes
internal import Hummingbird

/// A response's writer on its way to another task; that task is the only one that uses it, while this one waits for it.
private struct Output: @unchecked Sendable {
    let writer: any ResponseBodyWriter
}

extension Call {
    /// Returns a response that `write` writes piece by piece.
    ///
    /// A client that disconnects, or ends the stream of HTTP/2, cancels it at once, not at the next write. After the end of
    /// the response the connection takes the next request.
    func stream(
        _ contentType: String,
        _ write: @escaping @Sendable @concurrent (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        let isHTTP2 = context.exchange != nil
        return Response(
            status: .ok,
            // nginx passes the pieces on as they arrive.
            headers: [.contentType: contentType, .xAccelBuffering: "no"],
            body: ResponseBody { [context] writer in
                // With HTTP/2 the exchange cancels it.
                guard !isHTTP2 else { return try await write(&writer) }
                let output = Output(writer: writer)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        await context.clientEnds()
                        throw CancellationError()
                    }
                    group.addTask {
                        var writer = output.writer
                        try await write(&writer)
                    }
                    try await group.next()
                    group.cancelAll()
                }
            }
        )
    }
}
