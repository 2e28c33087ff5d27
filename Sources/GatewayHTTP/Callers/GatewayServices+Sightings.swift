internal import Delivery
internal import GatewayStorage
internal import Identity

extension GatewayServices {
    /// Has it noted, once an hour, that the device of a session gave a sign of life; does not wait.
    func noteDevice(of session: StoredSession) {
        guard let device = session.device, sessions.isFirstUseOfHour(session) else { return }
        let consumer = ConsumerName(brand: session.brand, consumer: session.consumer)
        delivery.seen(DeviceSighting(consumer: consumer, device: device))
    }
}
