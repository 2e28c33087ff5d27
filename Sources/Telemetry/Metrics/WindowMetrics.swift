package import Metrics

/// The reason for which a window closed, as a label.
package enum WindowCloseLabel: String, CaseIterable, Sendable {
    /// The client closed it.
    case client
    /// The connection was lost.
    case gone
    /// Nothing was received from the client within the idle limit.
    case idle
    /// The client did not read.
    case slow
    /// The token had expired, or there was none.
    case unauthenticated
    /// The token is invalid, or no longer valid.
    case refused
    /// The session ended.
    case loggedOut = "logged_out"
    /// A limit was reached, or the store did not respond.
    case overloaded
    /// A message was not a JSON object, too large, one too many, or violated the protocol.
    case badFrame = "bad_frame"
    /// The gateway stops.
    case goingAway = "going_away"
}

/// The direction of a frame, as a label.
package enum WindowFrameLabel: String, CaseIterable, Sendable {
    /// From a client.
    case received = "in"
    /// To a client.
    case sent = "out"
}

/// The metrics of messaging windows.
///
/// Created once; usable from any thread.
package struct WindowMetrics: Sendable {
    /// Open windows, including those that are being opened.
    package let open: Meter
    /// Windows that were opened: authenticated and ready.
    package let opened: Counter
    /// Windows that closed, by reason.
    package let closed: LabelledMetrics<WindowCloseLabel, Counter>
    /// Messages from clients and frames to them.
    package let frames: LabelledMetrics<WindowFrameLabel, Counter>

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        open = Meter(label: MetricCatalogue.windowsOpen.name, dimensions: [], factory: factory)
        open.set(0)
        opened = Counter(label: MetricCatalogue.windowsOpened.name, dimensions: [], factory: factory)
        closed = LabelledMetrics {
            Counter(label: MetricCatalogue.windowsClosed.name, dimensions: [("reason", $0.rawValue)], factory: factory)
        }
        frames = LabelledMetrics {
            Counter(
                label: MetricCatalogue.windowFrames.name,
                dimensions: [("direction", $0.rawValue)],
                factory: factory
            )
        }
    }
}
