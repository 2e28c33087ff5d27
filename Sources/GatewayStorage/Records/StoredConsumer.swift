package import GatewayModel

/// A consumer as it is stored.
package struct StoredConsumer: Sendable, Equatable {
    /// The store's number.
    package var key: ConsumerKey
    /// The consumer.
    package var id: ConsumerID
    /// Whether it has no identifier of the brand.
    package var anonymous: Bool
    /// The profile from an assertion: name, email, phone.
    package var profile: ConsumerProfile
    /// Its unread count.
    package var unread: Int64
    /// When it was first seen.
    package var createdAt: Timestamp
    /// Its own quiet hours; nil when the brand's apply.
    package var quietHours: QuietHours?

    /// Creates a consumer.
    package init(
        key: ConsumerKey,
        id: ConsumerID,
        anonymous: Bool,
        profile: ConsumerProfile,
        unread: Int64,
        createdAt: Timestamp,
        quietHours: QuietHours? = nil
    ) {
        self.key = key
        self.id = id
        self.anonymous = anonymous
        self.profile = profile
        self.unread = unread
        self.createdAt = createdAt
        self.quietHours = quietHours
    }
}

/// The profile of a consumer in an identity assertion; identity is the identifier, never the email (R29).
package struct ConsumerProfile: Sendable, Equatable {
    /// The name.
    package var name: String?
    /// The email address.
    package var email: String?
    /// The phone number, E.164.
    package var phone: String?

    /// Creates a profile.
    package init(name: String? = nil, email: String? = nil, phone: String? = nil) {
        self.name = name
        self.email = email
        self.phone = phone
    }
}
