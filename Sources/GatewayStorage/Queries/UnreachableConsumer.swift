package import GatewayModel

/// A consumer with unread messages whom no push reaches: none of its devices is active.
package struct UnreachableConsumer: Sendable, Equatable {
    /// The consumer.
    package var id: ConsumerID
    /// The number of its unread messages.
    package var unread: Int64
    /// When the oldest of them was accepted.
    package var unreadSince: Timestamp

    /// Creates a consumer.
    package init(id: ConsumerID, unread: Int64, unreadSince: Timestamp) {
        self.id = id
        self.unread = unread
        self.unreadSince = unreadSince
    }
}

/// A page of unreachable consumers.
package struct UnreachablePage: Sendable, Equatable {
    /// The consumers.
    package var items: [UnreachableConsumer]
    /// The cursor of the next page; nil when this is the last.
    package var next: ConsumerKey?

    /// Creates a page.
    package init(items: [UnreachableConsumer], next: ConsumerKey?) {
        self.items = items
        self.next = next
    }
}
