internal import Delivery
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// The routes for health checks, metrics and the API description (Operating page).
enum HealthRoutes {
    /// Adds the routes; `isOpen` lets everybody read the metrics.
    static func add(to routes: inout RouteTable, isOpen: Bool = false) {
        routes.on(.get, "/livez", isAlwaysAnswered: true) { _ in ok("ok") }
        routes.on(.get, "/readyz", isAlwaysAnswered: true) { try await ready($0) }
        routes.on(.get, "/metrics", isAlwaysAnswered: true) { call in
            if !isOpen, call.address != .local { try await call.requireAdmin() }
            return metrics(call)
        }
    }

    /// Returns the API description; 304 when the caller has it already.
    static func addDescription(to routes: inout RouteTable) {
        routes.on(.get, "/openapi.yaml") { call in
            let tag = OpenAPIDocument.entityTag
            let known = call.request.headers[.ifNoneMatch] ?? ""
            // A weak tag is sufficient here (RFC 9110 section 13.1.2).
            if tag.isNamed(in: known, weakly: true) {
                return Response(status: .notModified, headers: [.eTag: tag.text])
            }
            let body = ByteBuffer(string: OpenAPIDocument.text)
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/yaml", .contentLength: String(body.readableBytes), .eTag: tag.text,
                    .cacheControl: "no-cache",
                ],
                body: ResponseBody(byteBuffer: body)
            )
        }
    }

    private static func ok(_ status: String, isGuarded: Bool = false) -> Response {
        ResponseFactory.object(.ok, capacity: 48) { writer in
            writer.member("status", status)
            if isGuarded { writer.member("clock", "guarded") }
        }
    }

    /// Ready means that an event would be accepted now: the store responds, the host has no fault, and the core is
    /// neither starting nor stopping.
    ///
    /// A clock that may be wrong does not stop the gateway from accepting and sending; the response only names it.
    private static func ready(_ call: Call) async throws -> Response {
        let health = call.services.delivery.health
        guard health.isAccepting else { throw Problem(notReady: health) }
        try await call.read { store throws(StorageError) in try await store.probe() }
        return ok("ready", isGuarded: call.services.keeper.isGuarded)
    }

    /// Returns the metrics: in OpenMetrics, with exemplars, if the caller accepts it, as Prometheus does.
    private static func metrics(_ call: Call) -> Response {
        let accepted = call.request.headers.value(.accept)?.byteSplit(",") ?? []
        let isOpenMetrics = accepted.contains { range in
            range.byteSplit(";").first?.trimmingBlanks.isWord("application/openmetrics-text") ?? false
        }
        let body = ByteBuffer(string: call.services.renderMetrics(isOpenMetrics))
        let type =
            isOpenMetrics
            ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8"
        return Response(
            status: .ok,
            headers: [.contentType: type, .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body)
        )
    }
}
