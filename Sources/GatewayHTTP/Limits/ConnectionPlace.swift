/// One connection's place among those of its server, given back once; confined to the connection's event loop.
///
/// A window gives it back when it opens: windows are counted for themselves.
final class ConnectionPlace {
    private var slots: ConnectionSlots?
    private let address: AddressShare?

    init(_ slots: ConnectionSlots, _ address: AddressShare?) {
        self.slots = slots
        self.address = address
    }

    /// Gives it back; does nothing the second time.
    func giveBack() {
        slots?.close(address)
        slots = nil
    }
}
