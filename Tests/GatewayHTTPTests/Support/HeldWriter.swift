import Delivery
import Dispatch
import GatewayModel
import GatewayStorage
import Synchronization
import Testing

/// Holds up the writer after a commit, before the callers of the commit get their results; for at most nine minutes, so
/// that a test that fails before it lets the writer continue can end.
final class HeldWriter: WindowObserver {
    /// The consumer whose messages hold up the writer.
    static let consumer = "held"

    private let delivery: DeliveryService
    private let turnstile = DispatchSemaphore(value: 0)
    private let isHolding = Mutex(false)

    /// Prepares the gateway of a test; the next message of the consumer holds up the writer.
    init(_ api: API) throws {
        delivery = try #require(api.data.delivery)
        delivery.observe(windows: self)
        let name = ConsumerName(brand: BrandID(trusted: "acme"), consumer: ConsumerID(trusted: Self.consumer))
        delivery.windowOpened(name, device: nil)
    }

    func committed(_: [WindowEvent]) {
        isHolding.withLock { $0 = true }
        _ = turnstile.wait(timeout: .now() + 540)
        turnstile.signal()
    }

    /// Waits until the writer is held up.
    func isHeld() async { await reaches { self.isHolding.withLock { $0 } } }

    /// Waits until so many events wait for the next commit.
    func waits(for events: Int) async { await reaches { self.delivery.health.pendingEvents == events } }

    /// Lets the writer continue; does nothing the second time.
    func release() { turnstile.signal() }

    /// Looks again until a condition holds; the time limit of the test ends a wait in vain.
    private func reaches(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }
}
