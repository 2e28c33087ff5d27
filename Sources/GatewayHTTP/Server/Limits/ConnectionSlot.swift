/// A connection's slot among those of its server, released once; confined to the connection's event loop.
///
/// A window releases it when it opens: windows are counted separately.
final class ConnectionSlot {
    private var slots: ConnectionSlots?
    private let address: AddressShare?

    init(_ slots: ConnectionSlots, _ address: AddressShare?) {
        self.slots = slots
        self.address = address
    }

    /// Releases the slot; does nothing the second time.
    func release() {
        slots?.close(address)
        slots = nil
    }
}
