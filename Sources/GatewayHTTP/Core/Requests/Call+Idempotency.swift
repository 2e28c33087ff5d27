internal import Cryptography
internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import NIOCore

// `Idempotency-Key` of requests that create something (APIConventions page).
//
// The request is recorded before it does anything and its response is stored afterwards, so that a repetition after a
// crash in between does not create a second resource: its response is that the result is unknown. Only successful
// responses are stored: after an error nothing was created, and the same key may be used again. After an error that
// leaves this open, the key stays in use.
extension Call {
    /// Whether a repetition gets the first response again.
    enum Repetition {
        /// Yes.
        case replayed
        /// No, it is rejected: the response contained a secret, which is not stored.
        case refused
    }

    /// Creates something, at most once for the request's key if it has one; the caller is authenticated already.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - repetition: The response to a repetition.
    ///   - create: Creates the resource; not called for a repetition.
    /// - Returns: The response, or the first one.
    /// - Throws: The errors of `create`; `Problem` 409 while the first request runs, when its response contained a
    ///   secret or is not known, and 422 for another body or an invalid key.
    func once(
        _ body: BodyObject,
        _ repetition: Repetition,
        create: () async throws -> Response
    ) async throws -> Response {
        guard let header = request.headers.value(.idempotencyKey) else { return try await create() }
        guard (1...IdempotencyKeys.maxLength).contains(header.utf8.count),
            header.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            let most = IdempotencyKeys.maxLength
            throw Problem(invalid: "/Idempotency-Key", "must be 1 to \(most) visible ASCII characters")
        }
        let key = idempotencyKey(header)
        guard services.idempotency.begin(key) else { throw Self.stillRunning }
        defer { services.idempotency.end(key) }
        let record = IdempotencyRecord(key: key, bodyHash: body.hash, createdAt: services.clock.now)
        let oldest = services.keeper.isGuarded ? nil : record.oldest
        let earlier = try await read { store throws(StorageError) in
            try await store.beginIdempotent(record, forgetting: oldest)
        }
        if let earlier { return try Self.repeated(earlier, bodyHash: record.bodyHash) }
        let response: Response
        do {
            response = try await create()
        } catch {
            // An error here must not replace the original one.
            if Self.madeNothing(error) { try? await services.store.endIdempotent(key: key, response: nil) }
            throw error
        }
        let stored = IdempotencyRecord.Response(
            status: response.status.code,
            location: response.headers[.location],
            body: repetition == .replayed ? try await response.collected() : nil
        )
        // The resource exists, and the response may be the only place of its secret: a repetition gets the result
        // "unknown".
        try? await services.store.endIdempotent(key: key, response: stored)
        return response
    }

    private static func madeNothing(_ error: any Error) -> Bool {
        guard let problem = error as? Problem else { return false }
        return !problem.isOutcomeUnknown && problem.code != .internal
    }

    /// Identifies the key with its caller and route: the same key of another caller is a different one.
    private func idempotencyKey(_ header: String) -> [UInt8] {
        var caller = request.headers.value(.authorization) ?? ""
        // An operator has no such field, and a new token each time.
        if case .operator(let identity) = context.notes.caller { caller = "operator \(identity.name)" }
        let parts = [request.method.rawValue, request.uri.path, caller, header]
        return Array(SHA256.hash(data: Array(parts.joined(separator: "\u{0}").utf8)))
    }

    private static func repeated(_ earlier: IdempotencyRecord, bodyHash: [UInt8]) throws(Problem) -> Response {
        guard earlier.bodyHash == bodyHash else {
            throw Problem(invalid: "/Idempotency-Key", "was used for a request with another body")
        }
        guard let stored = earlier.response else {
            throw Problem(
                .conflict,
                "A request with this Idempotency-Key was interrupted; its result is not known."
            )
        }
        guard let body = stored.body else {
            throw Problem(
                .conflict,
                "A request with this Idempotency-Key has succeeded; its response contained a secret, which is not stored."
            )
        }
        var response = Response(
            status: .init(code: stored.status),
            headers: [.contentType: "application/json", .contentLength: String(body.count)],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
        response.headers[.location] = stored.location
        response.headers[.idempotencyReplayed] = "true"
        return response
    }

    private static let stillRunning = Problem(
        .conflict,
        "A request with this Idempotency-Key is still running.",
        retryAfterSeconds: 1
    )
}
