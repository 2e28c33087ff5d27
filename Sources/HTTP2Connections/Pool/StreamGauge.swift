internal import Synchronization

/// The number of open streams of a pool: written on its loop, read from any thread.
final class StreamGauge: Sendable {
    let value = Atomic<Int>(0)
}
