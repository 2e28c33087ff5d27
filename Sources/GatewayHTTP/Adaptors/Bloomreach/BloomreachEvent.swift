internal import GatewayModel
internal import GatewayStorage
internal import Identity
internal import TextFormats

/// Events that Bloomreach's SDK tracks.
enum BloomreachEvent {
    /// The maximum length of a type, in bytes.
    static let maxTypeBytes = 256
    /// The maximum length of a URL, in bytes.
    static let maxURLBytes = 4096
    /// The maximum length of the properties as JSON, in bytes.
    static let maxBytes = 65_536

    /// Creates an event; throws `Problem` 400 for properties that are too long.
    static func event(
        _ type: String,
        _ properties: StrictJSON.Members,
        at time: Timestamp
    ) throws(Problem) -> CustomerEvent {
        let text = StrictJSON.object(properties).sortedText
        guard text.count <= maxBytes else {
            throw Problem(invalid: "/properties", "must have at most \(maxBytes) bytes")
        }
        let properties = JSONText(trusted: String(decoding: text, as: UTF8.self))
        return CustomerEvent(type: type, time: time, properties: properties)
    }

    /// Returns the properties to track; nil when the consumer does not consent to tracking (R159).
    static func trackable(_ properties: StrictJSON.Members, of type: String) -> StrictJSON.Members? {
        guard BoundedName(type) == "campaign", properties["has_tracking_consent"] == .bool(false) else {
            return properties
        }
        let link = properties["url"]?.text ?? ""
        let isForced = parameters(of: link).contains { name, value in
            name.hasSameBytes(as: "xnpe_force_track") && value.hasSameBytes(as: "true")
        }
        guard isForced else { return nil }
        var forced = properties
        forced["tracking_forced"] = .bool(true)
        return forced
    }

    /// Returns the properties of a click: those of the request, the URL, and its parameters for campaigns (R133).
    static func click(on link: String, _ properties: StrictJSON.Members) -> StrictJSON.Members {
        var members = properties
        members["url"] = .string(link)
        for (name, value) in parameters(of: link)
        where name.hasBytePrefix("utm_") || name.hasSameBytes(as: "xnpe_cmp") {
            if let name = BoundedName(name) { members[name] = .string(value) }
        }
        return members
    }

    private static func parameters(of link: String) -> [(name: String, value: String)] {
        let whole = link.byteSplit("#", omittingEmptySubsequences: false).first ?? ""
        let parts = whole.byteSplit("?", omittingEmptySubsequences: false)
        return parts.dropFirst().flatMap { $0.byteSplit("&") }.compactMap { pair in
            let sides = pair.byteSplit("=", omittingEmptySubsequences: false)
            guard let name = sides.first.flatMap(PercentEncoding.decode),
                let value = PercentEncoding.decode(sides.dropFirst().first ?? "")
            else { return nil }
            return (name, value)
        }
    }

    /// Reads the consent of an event: `category`, `action` accept or reject, and `valid_until`.
    static func consent(
        _ properties: StrictJSON.Members,
        _ brand: Brand,
        at time: Timestamp,
        _ checks: inout FieldChecks
    ) -> [BoundedName: Consent] {
        let object = BodyObject(at: .pointer("/properties"), members: properties)
        let category = checks.text(object["category"], isRequired: true)
        let action = checks.word(object["action"], as: ConsentAction.self, isRequired: true)
        var end: Timestamp?
        let isUnlimited = object["valid_until"].value?.text?.hasSameBytes(as: "unlimited") ?? false
        if !isUnlimited { end = checks.seconds(object["valid_until"]) }
        guard let category, let action else { return [:] }
        guard brand.settings.consentCategory(category) != nil, let name = BoundedName(category) else {
            checks.fail("/properties/category", "is not a consent category of the project")
            return [:]
        }
        return [name: Consent(isGranted: action == .accept, validUntil: end, decidedAt: time)]
    }

    private enum ConsentAction: String, CaseIterable {
        case accept, reject
    }
}

extension CustomerChange {
    /// Creates an empty change of the customer that an app names.
    init(brand: BrandID, ids: CustomerIDs) {
        self.init(brand: brand, consumer: nil)
        name(ids)
    }

    /// Sets the customer: an anonymous one when there is only a cookie, and a merge when there are both.
    mutating func name(_ ids: CustomerIDs) {
        consumer = ids.main
        isAnonymous = ids.registered == nil
        cookie = ids.registered == nil ? nil : ids.cookie
    }
}

extension FieldChecks {
    /// Reads `customer_ids`; other ids than `registered` and `cookie` are ignored.
    mutating func customerIDs(_ member: BodyMember, isRequired: Bool = false) -> CustomerIDs? {
        guard let object = object(member, isRequired: isRequired) else { return nil }
        let ids = CustomerIDs(
            registered: identifier(object["registered"], as: ConsumerID.self),
            cookie: identifier(object["cookie"], as: ConsumerID.self)
        )
        if isRequired, object["registered"].isEmpty, object["cookie"].isEmpty {
            fail(member.pointer, "must specify at least one customer ID")
        }
        return ids
    }

    /// Reads a time in seconds since 1970, which may have a fraction.
    mutating func seconds(_ member: BodyMember) -> Timestamp? {
        guard !member.isEmpty else { return nil }
        var seconds: Double?
        switch member.value {
        case .integer(let number)?: seconds = Double(number)
        case .otherNumber(let text)?: seconds = Double(text)
        default: break
        }
        // Eleven digits until the year 5138; more are milliseconds.
        guard let seconds, seconds >= 0, seconds <= 99_999_999_999 else {
            fail(member.pointer, "must be a number of seconds since 1970")
            return nil
        }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }
}
