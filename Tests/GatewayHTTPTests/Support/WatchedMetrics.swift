import CoreMetrics
import Synchronization
import Telemetry

/// A registry that reports when one of its counters or gauges has changed.
final class WatchedMetrics: MetricsFactory {
    let registry = PrometheusRegistry()
    private let watchers = Mutex<[AsyncStream<Void>.Continuation]>([])

    /// One element now and one after each change; simultaneous changes may be one.
    func changes() -> AsyncStream<Void> {
        let (stream, watcher) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        watchers.withLock { $0.append(watcher) }
        watcher.yield()
        return stream
    }

    fileprivate func changed() {
        var ended = false
        for watcher in watchers.withLock({ $0 }) {
            if case .terminated = watcher.yield() { ended = true }
        }
        if ended {
            watchers.withLock { watchers in
                watchers.removeAll { if case .terminated = $0.yield() { true } else { false } }
            }
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        WatchedCounter(registry.makeCounter(label: label, dimensions: dimensions), self)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        WatchedMeter(registry.makeMeter(label: label, dimensions: dimensions), self)
    }

    func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        registry.makeFloatingPointCounter(label: label, dimensions: dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        registry.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        registry.makeTimer(label: label, dimensions: dimensions)
    }

    // A test's metrics are released with it.
    func destroyCounter(_: any CounterHandler) {}
    func destroyMeter(_: any MeterHandler) {}
    func destroyFloatingPointCounter(_: any FloatingPointCounterHandler) {}
    func destroyRecorder(_: any RecorderHandler) {}
    func destroyTimer(_: any TimerHandler) {}
}

private final class WatchedCounter: CounterHandler {
    private let counter: any CounterHandler
    private let owner: WatchedMetrics

    init(_ counter: any CounterHandler, _ owner: WatchedMetrics) {
        self.counter = counter
        self.owner = owner
    }

    func increment(by amount: Int64) {
        counter.increment(by: amount)
        owner.changed()
    }

    func reset() {
        counter.reset()
        owner.changed()
    }
}

private final class WatchedMeter: MeterHandler {
    private let meter: any MeterHandler
    private let owner: WatchedMetrics

    init(_ meter: any MeterHandler, _ owner: WatchedMetrics) {
        self.meter = meter
        self.owner = owner
    }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) {
        meter.set(value)
        owner.changed()
    }

    func increment(by amount: Double) {
        meter.increment(by: amount)
        owner.changed()
    }

    func decrement(by amount: Double) {
        meter.decrement(by: amount)
        owner.changed()
    }
}
