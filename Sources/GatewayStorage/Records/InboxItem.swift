package import GatewayModel

/// An item of a consumer's inbox (R137).
package struct InboxItem: Sendable, Equatable {
    /// The format of the content.
    package enum Kind: String, Sendable, CaseIterable {
        /// Like that of a push.
        case push
        /// A page.
        case html
    }

    /// The back-end's id.
    package var id: InboxItemID
    /// The format of the content.
    package var kind: Kind
    /// A JSON object for the app.
    package var content: JSONText
    /// The time that the app shows.
    package var createdAt: Timestamp
    /// The time after which it is removed.
    package var expiresAt: Timestamp
    /// Whether the consumer has read it.
    package var isRead = false
    /// The number of its last change, rising within the consumer.
    package var change: Int64 = 0

    /// Creates an unread item.
    package init(id: InboxItemID, kind: Kind, content: JSONText, createdAt: Timestamp, expiresAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.content = content
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// The maximum of a consumer's items.
    package static let perConsumer = 10_000
}

/// A position in a consumer's inbox, as a sync token holds it.
package struct InboxPosition: Sendable, Equatable {
    /// The consumer.
    package var consumer: ConsumerKey
    /// The number of the last change.
    package var change: Int64

    /// Creates a position.
    package init(consumer: ConsumerKey, change: Int64) {
        self.consumer = consumer
        self.change = change
    }
}

/// The part of an inbox that is read.
package enum InboxRange: Sendable {
    /// The items that changed last, before the change of a number unless it is nil; the last change comes first.
    case newest(before: Int64?)
    /// Everything that changed after a position, in the order of the changes.
    case after(InboxPosition)
}

/// The items of a part of an inbox that have not expired.
package struct InboxPage: Sendable {
    /// The position of the inbox's last change.
    package var position: InboxPosition
    /// The items.
    package var items: [InboxItem]

    /// Creates a page.
    package init(position: InboxPosition, items: [InboxItem]) {
        self.position = position
        self.items = items
    }
}

/// The result of a read of an inbox.
package enum InboxReading: Sendable {
    /// The items.
    case page(InboxPage)
    /// The position is another consumer's, or items were deleted since, or more have changed than are read.
    case dead
    /// There is no such consumer.
    case unknown
}

/// The result of storing something under an id of a back-end.
package enum PutResult: Sendable, Equatable {
    /// The id is new.
    case created
    /// It replaced what was stored.
    case replaced
    /// There are too many.
    case full
    /// The brand or the consumer does not exist.
    case unknown
}

/// A message that an app shows by itself when something happens in it (R136).
package struct InAppMessage: Sendable, Equatable {
    /// The back-end's id.
    package var id: InAppMessageID
    /// A JSON object for the app.
    package var message: JSONText
    /// The platforms that get it; empty for all.
    package var platforms: [DevicePlatform]
    /// The category to which a consumer must consent to get it; nil for none.
    package var consentCategory: String?

    /// Creates a message.
    package init(id: InAppMessageID, message: JSONText, platforms: [DevicePlatform], consentCategory: String?) {
        self.id = id
        self.message = message
        self.platforms = platforms
        self.consentCategory = consentCategory
    }

    /// The maximum of a brand's messages: an app gets all of them at once.
    package static let perBrand = 50
}
