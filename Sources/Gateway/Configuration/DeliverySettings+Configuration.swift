import Configuration
import Delivery

extension DeliverySettings {
    /// Reads and checks the settings of intake and lanes; throws ``SettingsError``.
    ///
    /// - `intake.maxPendingEvents` (events, 1 to 1,000,000)
    /// - `intake.maxPendingBytes` (bytes, 65,536 to 4 GiB)
    /// - `delivery.slotsPerLane` (rows, 1 to 100,000)
    /// - `delivery.slots` (rows, 1 to 10,000,000)
    /// - `delivery.retryDelaysSeconds` (1 to 20 numbers, 1 to 86,400 seconds each)
    /// - `delivery.drainDeadlineSeconds` (seconds, 0 to 3,600)
    init(config: ConfigReader) async throws {
        self.init()
        let reader = SettingsReader(config: config)
        maxPendingEvents = try await reader.integer(
            .intakeMaxPendingEvents,
            in: 1...1_000_000,
            default: maxPendingEvents
        )
        maxPendingBytes = try await reader.integer(
            .intakeMaxPendingBytes,
            in: 65_536...4_294_967_296,
            default: maxPendingBytes
        )
        slotsPerLane = try await reader.integer(.deliverySlotsPerLane, in: 1...100_000, default: slotsPerLane)
        slots = try await reader.integer(.deliverySlots, in: 1...10_000_000, default: slots)
        retryDelaysSeconds = try await reader.integers(
            .deliveryRetryDelaysSeconds,
            in: 1...86_400,
            maxCount: 20,
            default: retryDelaysSeconds
        )
        drainDeadlineSeconds = try await reader.integer(
            .deliveryDrainDeadlineSeconds,
            in: 0...3600,
            default: drainDeadlineSeconds
        )
    }
}
