internal import HTTPTypes
internal import Hummingbird

extension Call {
    /// Returns a response that `write` writes piece by piece.
    ///
    /// A client that disconnects, or ends the stream of HTTP/2, cancels it at once, not at the next write.
    func stream(
        _ contentType: String,
        _ write: @escaping @Sendable @concurrent (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        let isHTTP2 = context.exchange != nil
        return Response(
            status: .ok,
            // nginx passes the pieces on as they arrive.
            headers: [.contentType: contentType, .xAccelBuffering: "no"],
            body: ResponseBody { [request] writer in
                // With HTTP/2 the exchange cancels it.
                guard !isHTTP2 else { return try await write(&writer) }
                try await request.body.consumeWithCancellationOnInboundClose { _ in try await write(&writer) }
            }
        )
    }
}
