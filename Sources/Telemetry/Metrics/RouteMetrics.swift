import Metrics

/// The metrics of one route.
package struct RouteMetrics: Sendable {
    private let requests: [Counter]
    private let duration: ExemplarTimer

    init(method: String, route: String, factory: any MetricsFactory) {
        let labels = [("method", method), ("route", route)]
        requests = ["1xx", "2xx", "3xx", "4xx", "5xx"].map {
            Counter(
                label: MetricCatalogue.httpRequests.name,
                dimensions: labels + [("status_class", $0)],
                factory: factory
            )
        }
        duration = ExemplarTimer(MetricCatalogue.httpRequestDuration, dimensions: labels, factory: factory)
    }

    /// Counts one request with the response's status, 100 to 599, and the time from the request's head to the end of
    /// its response.
    package func record(status: Int, nanoseconds: Int64, _ exemplar: Exemplar? = nil) {
        requests[min(max(status / 100 - 1, 0), requests.count - 1)].increment()
        duration.record(nanoseconds: nanoseconds, exemplar)
    }
}
