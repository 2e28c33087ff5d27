import FairSharing
import GatewayModel
import Synchronization

/// How many exchanges may run at once; none waits for another.
final class ExchangeSlots: Sendable {
    /// At one provider: one that hangs must not take all.
    static let perProvider = 16
    /// In the instance, of which each brand has its share: each holds a connection and a request of a device.
    static let total = 128

    private struct Running {
        var brands = FairPlaces<BrandID>(capacity: ExchangeSlots.total)
        var providers = FairPlaces<String>(capacity: .max, capacityPerOwner: ExchangeSlots.perProvider)
    }

    private let running = Mutex(Running())

    /// Takes a slot.
    ///
    /// - Parameters:
    ///   - provider: The credential's id.
    ///   - brand: Its brand.
    /// - Returns: False when there is none; else it must be given back.
    func take(_ provider: String, of brand: BrandID) -> Bool {
        running.withLock { running in
            guard running.providers.take(provider) else { return false }
            guard running.brands.take(brand) else {
                running.providers.giveBack(provider)
                return false
            }
            return true
        }
    }

    /// Gives a slot back.
    func give(back provider: String, of brand: BrandID) {
        running.withLock { running in
            running.providers.giveBack(provider)
            running.brands.giveBack(brand)
        }
    }
}
