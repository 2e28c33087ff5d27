package import Metrics
import Synchronization

/// The metrics of the HTTP server.
///
/// Created once and passed to it; usable from any thread.
package final class HTTPMetrics: Sendable {
    /// Sessions that were opened, by grant.
    package let sessionsOpened: LabelledMetrics<GrantLabel, Counter>
    /// Open connections of callers.
    package let connectionsOpen: Meter
    /// Bytes of request bodies in memory.
    package let bodyBytes: Meter
    /// Connections, requests and windows that were rejected, by limit.
    package let refused: LabelledMetrics<RejectionLabel, Counter>
    /// Connections that were closed because the caller was too slow.
    package let cutOff: LabelledMetrics<CutOffLabel, Counter>

    private struct Key: Hashable {
        var method: String
        var route: String
    }

    private let factory: any MetricsFactory
    private let routes = Mutex<[Key: RouteMetrics]>([:])

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        self.factory = factory
        sessionsOpened = LabelledMetrics {
            Counter(
                label: MetricCatalogue.sessionsOpened.name,
                dimensions: [("grant", $0.rawValue)],
                factory: factory
            )
        }
        connectionsOpen = Meter(label: MetricCatalogue.httpConnections.name, factory: factory)
        bodyBytes = Meter(label: MetricCatalogue.httpBodyBytes.name, factory: factory)
        refused = LabelledMetrics {
            Counter(label: MetricCatalogue.httpRefused.name, dimensions: [("limit", $0.rawValue)], factory: factory)
        }
        cutOff = LabelledMetrics {
            Counter(label: MetricCatalogue.httpCutOff.name, dimensions: [("reason", $0.rawValue)], factory: factory)
        }
    }

    /// Returns the metrics of one route; always the same objects for the same route.
    ///
    /// Methods other than those of RFC 9110 and PATCH count as `other`. The template is the route with the names of its
    /// parameters (`/v1/brands/{brand}/events`), never a raw path; `unmatched` for requests without a route.
    package func route(method: String, template: String) -> RouteMetrics {
        let method = Self.label(of: method)
        let key = Key(method: method, route: template)
        return routes.withLock { routes in
            if let known = routes[key] { return known }
            // Templates are a closed set; the limit guards against a caller that passes raw paths.
            let bounded = routes.count < Self.maxRoutes ? key : Key(method: "other", route: "other")
            if let known = routes[bounded] { return known }
            let new = RouteMetrics(method: bounded.method, route: bounded.route, factory: factory)
            routes[bounded] = new
            return new
        }
    }

    /// Returns a method of RFC 9110 or PATCH, `other` for every other one.
    static func label(of method: String) -> String { methods.contains(method) ? method : "other" }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    private static let maxRoutes = 500
}
