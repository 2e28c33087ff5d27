package import Delivery

/// The delivery core holds agents' messages for the windows that it is told of.
extension DeliveryService: WindowPresence {}
