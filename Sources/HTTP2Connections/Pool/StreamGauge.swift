internal import Synchronization

/// How many streams a pool has open: written on its loop, read from any thread.
final class StreamGauge: Sendable {
    let value = Atomic<Int>(0)
}
