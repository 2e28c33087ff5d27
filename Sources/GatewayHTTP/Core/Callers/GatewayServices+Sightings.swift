internal import Delivery
internal import GatewayStorage
internal import Identity

extension GatewayServices {
    /// Records, once an hour, a sign of life of a session's device; does not wait.
    func noteDevice(of session: StoredSession) {
        guard let device = session.device, sessions.isFirstUseOfHour(session) else { return }
        let consumer = ConsumerName(brand: session.brand, consumer: session.consumer)
        delivery.seen(DeviceSighting(consumer: consumer, device: device))
    }
}
