package import GatewayModel
package import TextFormats

/// A consumer's decision about a category of pushes.
package struct Consent: Sendable, Equatable {
    /// Whether it consents.
    package var isGranted: Bool
    /// The time until which the decision is valid; nil for ever.
    package var validUntil: Timestamp?
    /// The time of the decision.
    package var decidedAt: Timestamp

    /// Creates a decision.
    package init(isGranted: Bool, validUntil: Timestamp? = nil, decidedAt: Timestamp) {
        self.isGranted = isGranted
        self.validUntil = validUntil
        self.decidedAt = decidedAt
    }
}

/// The properties and consents of a consumer, as apps and back-ends have stored them.
package struct CustomerData: Sendable, Equatable {
    /// The properties, in any order.
    package var properties = StrictJSON.Members()
    /// The consents, by category.
    package private(set) var consents: [BoundedName: Consent] = [:]

    /// The maximum of a consumer's properties, and of its consents.
    package static let maxMembers = 256
    /// The maximum length of everything as ``stored``, in bytes.
    package static let maxBytes = 65_536
    /// The maximum depth of the values of properties.
    package static let maxDepth = 32

    /// Creates the data of a consumer about whom nothing is known.
    package init() {}

    /// Whether a push with a requirement may be sent.
    package func allows(_ requirement: ConsentRequirement, at now: Timestamp) -> Bool {
        guard let consent = BoundedName(requirement.category).flatMap({ consents[$0] }) else {
            return requirement.isAssumed
        }
        if let end = consent.validUntil, end <= now { return requirement.isAssumed }
        return consent.isGranted
    }

    /// Makes a change: a property that is null is removed, and a later decision stays.
    package mutating func apply(_ change: CustomerChange) {
        for (name, value) in change.properties { properties[name] = value == .null ? nil : value }
        // Apps send what they tracked while they were offline later.
        consents.merge(change.consents) { $1.decidedAt < $0.decidedAt ? $0 : $1 }
    }

    /// Adds the data of a consumer that is merged into this one: the later decisions, and the properties that this one
    /// does not have, if all of them fit.
    package mutating func merge(_ other: CustomerData) {
        consents.merge(other.consents) { $0.decidedAt < $1.decidedAt ? $1 : $0 }
        var whole = self
        for (name, value) in other.properties where properties[name] == nil { whole.properties[name] = value }
        if whole.fits { self = whole }
    }

    /// Whether it is within the limits, and so can be read again.
    package var fits: Bool {
        guard max(properties.count, consents.count) <= Self.maxMembers else { return false }
        let text = stored
        return text.utf8.count <= Self.maxBytes && Self(stored: text) != nil
    }

    // MARK: Storage

    /// The column's text: a JSON object of the properties, and of the consents as arrays of their members.
    package var stored: String {
        let consents = consents.map { name, consent in
            let end: StrictJSON = consent.validUntil.map { .integer($0.milliseconds) } ?? .null
            let members: [StrictJSON] = [.bool(consent.isGranted), .integer(consent.decidedAt.milliseconds), end]
            return (key: name, value: StrictJSON.array(members))
        }
        let whole: StrictJSON = .object(["consents": .object(.init(consents)), "properties": .object(properties)])
        return String(decoding: whole.sortedText, as: UTF8.self)
    }

    /// Reads a column; nil when its format is unknown.
    package init?(stored: String) {
        guard let whole = try? StrictJSON.parse(Array(stored.utf8), maxDepth: Self.maxDepth + 2).members,
            let properties = whole["properties"]?.members, let consents = whole["consents"]?.members
        else { return nil }
        self.properties = properties
        for (name, value) in consents {
            guard case .array(let members) = value, members.count == 3, case .bool(let isGranted) = members[0],
                case .integer(let decidedAt) = members[1]
            else { return nil }
            var consent = Consent(isGranted: isGranted, decidedAt: Timestamp(milliseconds: decidedAt))
            if case .integer(let end) = members[2] { consent.validUntil = Timestamp(milliseconds: end) }
            self.consents[name] = consent
        }
    }
}

/// A consumer with its data.
package struct Customer: Sendable {
    /// The store's number.
    package var key: ConsumerKey
    /// Its present id.
    package var id: ConsumerID
    /// Whether it has no identifier of the brand.
    package var isAnonymous: Bool
    /// Its data.
    package var data: CustomerData

    /// Creates a consumer with its data.
    package init(key: ConsumerKey, id: ConsumerID, isAnonymous: Bool, data: CustomerData) {
        self.key = key
        self.id = id
        self.isAnonymous = isAnonymous
        self.data = data
    }
}
