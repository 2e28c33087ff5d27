/// A page of the changes of finished deliveries, in order.
package struct DeliveryChanges: Sendable {
    /// One change.
    package struct Item: Sendable {
        /// Its position in the order.
        package var position: Int64
        /// The delivery after the change.
        package var record: DeliveryRecord

        /// Creates a change.
        package init(position: Int64, record: DeliveryRecord) {
            self.position = position
            self.record = record
        }
    }

    /// The changes that pass the filter, oldest first.
    package var items: [Item]
    /// The position up to which changes were read; the next page begins after it.
    package var position: Int64
    /// Whether no more changes are stored.
    package var isEnd: Bool

    /// Creates a page.
    package init(items: [Item], position: Int64, isEnd: Bool) {
        self.items = items
        self.position = position
        self.isEnd = isEnd
    }
}
