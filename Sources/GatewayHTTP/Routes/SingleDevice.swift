internal import GatewayModel
internal import GatewayStorage
internal import Identity

/// A login where the brand's setting `singleDevice` is on: it logs the consumer's other devices out (R84).
///
/// All older sessions of the consumer end, and the registrations of its other devices with them. The device that logs in
/// keeps its registration. A login that names no device cannot tell which are the others and logs nobody out.
struct SingleDevice {
    let brand: Brand
    let consumer: ConsumerID
    let device: DeviceID

    /// Ends what the other devices have.
    func logOutOthers(_ call: Call) async throws(Problem) {
        do {
            _ = try await call.services.sessions.endAll(
                brand: brand.id,
                consumer: consumer,
                device: nil,
                unregister: .none
            )
        } catch { throw Problem(error) }
        let registrations = try await call.read { store throws(StorageError) in
            try await store.registrations(brand: brand.id, consumer: consumer)
        }
        for registration in registrations where registration.device != device {
            _ = try await call.perform(
                .unregister(
                    brand: brand.id,
                    consumer: consumer,
                    app: registration.app,
                    device: registration.device,
                    scope: .all
                )
            )
        }
    }
}
