/// One connection's place among those of its server, given back once; confined to the connection's event loop.
///
/// A window gives it back when it opens: windows are counted for themselves.
final class ConnectionPlace {
    private var slots: ConnectionSlots?

    init(_ slots: ConnectionSlots) { self.slots = slots }

    /// Gives it back; does nothing the second time.
    func giveBack() {
        slots?.close()
        slots = nil
    }
}
