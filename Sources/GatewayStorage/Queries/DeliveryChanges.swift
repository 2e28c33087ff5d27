/// A piece of the order in which finished deliveries changed.
package struct DeliveryChanges: Sendable {
    /// One change.
    package struct Item: Sendable {
        /// Its place in the order.
        package var position: Int64
        /// The delivery as it stands since then.
        package var record: DeliveryRecord

        /// Takes a change.
        ///
        /// - Parameters:
        ///   - position: Its place in the order.
        ///   - record: The delivery.
        package init(position: Int64, record: DeliveryRecord) {
            self.position = position
            self.record = record
        }
    }

    /// The changes that the filter lets through, oldest first.
    package var items: [Item]
    /// Up to here was looked; the next piece begins after it.
    package var position: Int64
    /// Whether that was the end of what there is.
    package var isEnd: Bool

    /// Takes a piece.
    ///
    /// - Parameters:
    ///   - items: The changes.
    ///   - position: Up to here was looked.
    ///   - isEnd: Whether that was the end.
    package init(items: [Item], position: Int64, isEnd: Bool) {
        self.items = items
        self.position = position
        self.isEnd = isEnd
    }
}
