public import Foundation

/// The clocks of the library; tests give one that they advance.
public protocol ClientClock: Sendable {
    /// The wall clock: for times that leave the process or outlive it.
    var now: Date { get }
    /// A time that never goes back, from any start: for waits and ages within the process.
    var uptime: Duration { get }
    /// Suspends the caller.
    ///
    /// - Parameter duration: The time to wait.
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The clocks of the device.
public struct SystemClock: ClientClock {
    private let start = ContinuousClock.now

    /// Creates the clock; ``uptime`` starts at zero.
    public init() {}

    /// The wall clock of the device.
    public var now: Date { Date() }

    /// The time since the clock was created, including the time in which the device slept.
    public var uptime: Duration { start.duration(to: .now) }

    /// Suspends the caller.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
