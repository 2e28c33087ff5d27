import FairSharing
import GatewayModel
import Synchronization

/// The slots of concurrent exchanges; no caller waits for one.
final class ExchangeSlots: Sendable {
    /// The slots for one provider: one that hangs must not take all.
    static let perProvider = 16
    /// The slots of the instance, shared fairly among brands: each exchange holds a connection and a device's request.
    static let total = 128

    private struct Running {
        var brands = FairSlots<BrandID>(capacity: ExchangeSlots.total)
        var providers = FairSlots<String>(capacity: .max, capacityPerOwner: ExchangeSlots.perProvider)
    }

    private let running = Mutex(Running())

    /// Takes a slot of a credential, which the caller must release; false when there is none.
    func take(_ provider: String, of brand: BrandID) -> Bool {
        running.withLock { running in
            guard running.providers.take(provider) else { return false }
            guard running.brands.take(brand) else {
                running.providers.release(provider)
                return false
            }
            return true
        }
    }

    /// Releases a slot.
    func release(_ provider: String, of brand: BrandID) {
        running.withLock { running in
            running.providers.release(provider)
            running.brands.release(brand)
        }
    }
}
