package import Metrics

/// Why a window closed, as a label.
package enum WindowCloseLabel: String, CaseIterable, Sendable {
    /// The client closed it.
    case client
    /// The connection was lost.
    case gone
    /// Nothing was heard of the client within the idle limit.
    case idle
    /// The client did not read.
    case slow
    /// The token's time was over, or there was none.
    case unauthenticated
    /// The token is not, or no longer, good.
    case refused
    /// The session ended.
    case loggedOut = "logged_out"
    /// A limit was reached, or the store did not answer.
    case overloaded
    /// A message was no JSON object, too big, or one too many, or broke the protocol.
    case badFrame = "bad_frame"
    /// The gateway stops.
    case goingAway = "going_away"
}

/// Which way a frame went, as a label.
package enum WindowFrameLabel: String, CaseIterable, Sendable {
    /// From a client.
    case received = "in"
    /// To a client.
    case sent = "out"
}

/// What messaging windows count.
///
/// Made once; any thread may use it.
package struct WindowMetrics: Sendable {
    /// Windows that are open, those that are being opened included.
    package let open: Meter
    /// Windows that were opened: authenticated and ready.
    package let opened: Counter
    /// Windows that closed, by why.
    package let closed: LabelledMetrics<WindowCloseLabel, Counter>
    /// Messages of clients and frames to them.
    package let frames: LabelledMetrics<WindowFrameLabel, Counter>

    /// Makes the metric objects.
    ///
    /// - Parameter factory: Where they are kept.
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
