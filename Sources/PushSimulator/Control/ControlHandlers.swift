internal import Hummingbird

/// The request handlers of the control port.
struct ControlHandlers: Sendable {
    /// The longest wait in seconds; longer ones are reduced to it.
    private static let longestWaitSeconds = 300

    let core: SimulatorCore
    let log: PushLog
    let identityProvider: SimulatedIdentityProvider
    let talkdesk: SimulatedTalkdesk
    let chatwoot: SimulatedChatwootAPI

    /// `GET /pushes?after=&waitSeconds=`: returns pushes with greater numbers, as soon as there is one.
    func pushes(_ request: Request) async -> Response {
        guard let after = Self.number("after", in: request, upTo: Int.max - 1),
            let wait = Self.number("waitSeconds", in: request, upTo: Int.max)
        else { return Self.problem("after and waitSeconds must be whole numbers from 0") }
        if wait > 0, self.log.lastNumber <= after {
            _ = await self.log.wait(forNumber: after + 1, within: .seconds(min(wait, Self.longestWaitSeconds)))
        }
        let pushes = self.log.pushes(after: after)
        return Self.json([
            "pushes": .array(pushes.map(\.listed)), "next": .integer(Int64(pushes.last?.number ?? after)),
        ])
    }

    /// `DELETE /pushes`.
    func clear() -> Response {
        self.log.clear()
        return Response(status: .noContent)
    }

    /// `GET /rules`.
    func rules() -> Response {
        Self.json(.array(self.core.currentRules.map(\.json)))
    }

    /// `PUT /rules`: accepts all rules or none, and returns the parsed rules.
    func replaceRules(_ request: Request) async throws -> Response {
        let response = try await Self.take(request, RuleBook.parse) { self.core.replaceRules(with: $0) }
        return response.status == .noContent ? self.rules() : response
    }

    /// Uses what a body describes, in full or, with an error, not at all.
    static func take<Value>(
        _ request: Request,
        upTo maxBytes: Int = 1 << 20,
        _ parse: ([UInt8]) throws(RuleError) -> Value,
        _ use: (Value) -> Void
    ) async throws -> Response {
        let body = try await request.body.collect(upTo: maxBytes)
        do throws(RuleError) {
            use(try parse(Array(body.readableBytesView)))
        } catch {
            return self.problem(error.description)
        }
        return Response(status: .noContent)
    }

    /// `GET /stats`.
    func statistics() -> Response {
        Self.json(self.core.statistics.json)
    }

    /// Returns a numeric query parameter; 0 when absent, nil when it is not a valid number.
    private static func number(_ name: String, in request: Request, upTo limit: Int) -> Int? {
        guard let text = request.uri.queryParameters[name[...]], !text.isEmpty else { return 0 }
        return Int(text).flatMap { (0...limit).contains($0) ? $0 : nil }
    }

    static func problem(_ text: String) -> Response {
        Response(
            status: .badRequest,
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: text + "\n"))
        )
    }

    static func json(_ value: JSONValue) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.text))
        )
    }
}
