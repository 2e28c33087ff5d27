import Foundation

/// A change of a customer, an event or a click of a campaign, as Bloomreach's tracking takes it.
struct TrackedEvent: Sendable, Hashable, Codable {
    /// The endpoint.
    enum Kind: String, Sendable, Hashable, Codable {
        case customer
        case event
        case click
    }

    /// The most bytes of the properties.
    static let maxBytes = 8192

    var kind: Kind
    /// The ids of the customer at the time of the event.
    var customerIDs: [String: String]
    /// The type of an event, or the URL of a click.
    var name: String?
    var properties: [String: JSONValue]
    var at: Date

    /// The members of the request.
    var members: [String: JSONValue?] {
        [
            "customer_ids": .texts(customerIDs), "properties": .object(properties),
            "timestamp": .number(at.timeIntervalSince1970),
            "event_type": kind == .event ? name.map { .string($0) } : nil,
            "url": kind == .click ? name.map { .string($0) } : nil,
        ]
    }
}

extension JSONValue {
    /// An object of texts.
    static func texts(_ texts: [String: String]) -> JSONValue { .object(texts.mapValues { .string($0) }) }
}

/// The events that wait to be sent, oldest first; a pure value, bounded (R163).
struct EventQueue: Sendable, Hashable, Codable {
    /// The most events that wait; the oldest gives way to a new one.
    static let maxCount = 500

    /// An event with the rejections that it has had.
    struct Entry: Sendable, Hashable, Codable {
        var number: Int
        var event: TrackedEvent
        var tries = 0
    }

    private var entries: [Entry] = []
    private var lastNumber = 0

    /// The number of events that wait.
    var count: Int { entries.count }

    /// Adds an event.
    mutating func add(_ event: TrackedEvent) {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, event: event))
        if entries.count > Self.maxCount { entries.removeFirst() }
    }

    /// Returns the oldest event after a number; 0 is before the first one.
    func next(after number: Int) -> Entry? { entries.first { $0.number > number } }

    /// The request with an event has ended.
    ///
    /// - Parameters:
    ///   - number: The number of the event.
    ///   - error: The error; nil if it was taken.
    ///   - maxTries: The number of rejections after which an event is dropped.
    /// - Returns: Whether to send the next event now.
    mutating func sent(_ number: Int, error: SwitchboardError?, maxTries: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return true }
        guard let error else {
            entries.remove(at: index)
            return true
        }
        // The gateway is away, or has no time: that says nothing about the event.
        if error.isRetryable || error.code == .cancelled { return false }
        entries[index].tries += 1
        if entries[index].tries >= maxTries { entries.remove(at: index) }
        return true
    }
}

/// The push token that Bloomreach knows, by events `notification_state`; a pure value (R156, R157).
struct TokenTracking: Sendable, Hashable, Codable {
    /// A state of a token that was tracked.
    struct Tracked: Sendable, Hashable, Codable {
        var token: PushToken
        var isGranted: Bool
        var applicationID: String
        var appVersion: String?
        var at: Date
    }

    /// The last state; nil if none was tracked.
    private(set) var tracked: Tracked?

    /// Returns the properties of the events for a state, in order: a changed token invalidates the one before.
    ///
    /// - Parameters:
    ///   - next: The state.
    ///   - frequency: When an unchanged state is tracked again.
    ///   - deviceID: The id of the device.
    /// - Returns: The properties; none if nothing is to be tracked.
    mutating func track(
        _ next: Tracked,
        frequency: RenewalFrequency,
        deviceID: String
    ) -> [[String: JSONValue]] {
        var events: [[String: JSONValue]] = []
        if let before = tracked {
            let hasMoved = before.token != next.token || before.applicationID != next.applicationID
            let isSame = !hasMoved && before.isGranted == next.isGranted && before.appVersion == next.appVersion
            if isSame, !frequency.isDue(since: before.at, now: next.at) { return [] }
            if hasMoved { events.append(Self.properties(before, deviceID, isInvalidated: true)) }
        }
        tracked = next
        return events + [Self.properties(next, deviceID)]
    }

    /// Returns the properties of the event with which the token stops being this customer's; nil if it is not.
    func invalidation(deviceID: String) -> [String: JSONValue]? {
        tracked.map { Self.properties($0, deviceID, isInvalidated: true) }
    }

    /// The token's invalidation was sent.
    mutating func invalidated() { tracked = nil }

    private static func properties(
        _ state: Tracked,
        _ deviceID: String,
        isInvalidated: Bool = false
    ) -> [String: JSONValue] {
        let description = isInvalidated ? "Invalidated" : state.isGranted ? "Permission granted" : "Permission denied"
        return [
            "push_notification_token": .string(state.token.token), "platform": .string(state.token.bloomreachPlatform),
            "valid": .bool(state.isGranted && !isInvalidated), "description": .string(description),
            "application_id": .string(state.applicationID), "device_id": .string(deviceID),
        ]
    }
}

extension PushToken {
    /// The platform as Bloomreach names it.
    var bloomreachPlatform: String { pushType == "apns" ? "ios" : pushType == "fcm" ? "android" : "huawei" }
}

/// The properties of Bloomreach's events about pushes and inbox items; nil without consent (R159, R160).
enum BloomreachEvents {
    /// Whether a tap or a delivery may be tracked, and whether only its link forces that.
    private static func consent(_ isGiven: Bool, _ link: String?) -> [String: JSONValue]? {
        if isGiven { return [:] }
        let items = link.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        return items.contains { $0.name == "xnpe_force_track" && $0.value == "true" } ? ["tracking_forced": true] : nil
    }

    /// The arrival of a push.
    static func delivered(_ message: PushMessage, isShown: Bool) -> [String: JSONValue]? {
        guard message.kind != .selfCheck, var properties = consent(message.hasTrackingConsent, message.link) else {
            return nil
        }
        properties["status"] = "delivered"
        properties["state"] = isShown ? "shown" : "not_shown"
        return campaign(message).merging(properties) { $1 }
    }

    /// A tap on a push, or on a button of it; a silent push has none.
    static func opened(_ message: PushMessage, _ action: PushMessage.Action?) -> [String: JSONValue]? {
        let link = action == nil ? message.link : action?.url
        guard message.isVisible, var properties = consent(message.hasTrackingConsent, link) else { return nil }
        properties["status"] = "clicked"
        properties["cta"] = .string(action?.title ?? "notification")
        properties["url"] = .string(link ?? "app")
        return campaign(message).merging(properties) { $1 }
    }

    /// The opening of an inbox item, or the use of a button in it.
    static func inbox(_ item: InboxItem, button: String?, url: String?) -> [String: JSONValue]? {
        let isGiven = item.content["has_tracking_consent"]?.flag ?? true
        guard var properties = consent(isGiven, url) else { return nil }
        properties["action_type"] = "app inbox"
        properties["status"] = button == nil ? "opened" : "clicked"
        properties["cta"] = button.map { .string($0) }
        properties["url"] = url.map { .string($0) }
        return (item.content["attributes"]?.members ?? [:]).merging(properties) { $1 }
    }

    private static func campaign(_ message: PushMessage) -> [String: JSONValue] {
        (message.data?.members ?? [:]).merging(message.urlParameters) { $1 }
    }
}
