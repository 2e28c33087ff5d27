internal import CoreMetrics
internal import GatewayModel
internal import Telemetry

/// The slots of requests in progress, in total, per address and per brand; usable from any thread.
final class RequestSlots: Sendable {
    private let sharedSlots: SharedSlots
    private let metrics: HTTPMetrics

    init(_ limits: ServerLimits, metrics: HTTPMetrics) {
        sharedSlots = SharedSlots(limit: limits.maxRequestsInFlight, perAddress: limits.slotsPerAddress)
        self.metrics = metrics
    }

    /// Rejects a request for which there is no slot now, without taking one.
    ///
    /// - Parameter address: The caller's share; nil for a caller without one.
    /// - Throws: `Problem` 503.
    func check(_ address: AddressShare?) throws(Problem) {
        do { try sharedSlots.check(address) } catch { throw problem(error) }
    }

    /// Takes a slot for a request.
    ///
    /// - Parameter address: The caller's share; nil for a caller without one.
    /// - Returns: The slot, which must be released.
    /// - Throws: `Problem` 503 when there is no free slot.
    func enter(_ address: AddressShare?) throws(Problem) -> Slot {
        do { return Slot(slots: self, sharedSlot: try sharedSlots.take(address)) } catch { throw problem(error) }
    }

    /// Takes a slot for a request, if there is one; a rejection is not counted.
    ///
    /// - Parameter address: The caller's share; nil for a caller without one.
    /// - Returns: The slot, which must be released; nil when there is none.
    func enterIfFree(_ address: AddressShare?) -> Slot? {
        (try? sharedSlots.take(address)).map { Slot(slots: self, sharedSlot: $0) }
    }

    /// The slot of one request.
    struct Slot: Sendable {
        fileprivate let slots: RequestSlots
        fileprivate let sharedSlot: SharedSlots.Slot

        /// Counts the slot for the caller's brand; does nothing the second time.
        ///
        /// - Parameter brand: The brand.
        /// - Throws: `Problem` 503 when the brand holds its share.
        func claim(_ brand: BrandID) throws(Problem) {
            do { try sharedSlot.claim(brand, isOnly: false) } catch { throw slots.problem(error) }
        }

        /// Releases the slot; does nothing the second time.
        func release() { sharedSlot.release() }
    }

    private func problem(_ rejection: SlotRejection) -> Problem {
        switch rejection {
        case .full:
            metrics.refused[.requests].increment()
            return Problem(.overloaded, "Too many requests are being handled.", retryAfterSeconds: 1)
        case .address:
            metrics.refused[.addressRequests].increment()
            return Problem(.overloaded, "Too many requests of this address are being handled.", retryAfterSeconds: 1)
        case .brand:
            metrics.refused[.brandRequests].increment()
            return Problem(.overloaded, "Too many requests of this brand are being handled.", retryAfterSeconds: 1)
        }
    }
}
