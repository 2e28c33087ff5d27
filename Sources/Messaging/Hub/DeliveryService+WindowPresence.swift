package import Delivery

/// The delivery core, which holds back agents' messages for open windows.
extension DeliveryService: WindowPresence {}
