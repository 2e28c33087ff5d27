public import Foundation

/// A message of Bloomreach's app inbox.
public struct InboxItem: Sendable, Hashable, Identifiable {
    /// The form of the content.
    public enum Kind: String, Sendable, Hashable {
        /// The members of a push.
        case push
        /// A page.
        case html
    }

    /// The id.
    public var id: String
    /// The form of the content.
    public var kind: Kind
    /// Whether the customer has read it.
    public var isRead: Bool
    /// The time of its creation.
    public var createdAt: Date?
    /// The time at which it disappears.
    public var expiresAt: Date?
    /// The content, by its kind.
    public var content: JSONValue
    /// The sync token of the response that it came with: its read mark needs that one (R165).
    let syncToken: String?
    /// The customer who fetched it: its read mark is for that one (trap 33).
    let customerIDs: [String: String]

    /// Reads an item; nil for an unknown kind.
    init?(_ value: JSONValue, syncToken: String?, customerIDs: [String: String]) {
        guard let id = value["id"]?.text, let kind = value["type"]?.text.flatMap({ Kind(rawValue: $0) }) else {
            return nil
        }
        self.id = id
        self.kind = kind
        isRead = value["is_read"]?.flag ?? false
        createdAt = value["create_time"]?.numberValue.map { Date(timeIntervalSince1970: $0) }
        expiresAt = value["expire_time"]?.numberValue.map { Date(timeIntervalSince1970: $0) }
        content = value["content"] ?? .object([:])
        self.syncToken = syncToken
        self.customerIDs = customerIDs
    }
}

/// The items of the app inbox that were fetched; a pure value, in memory only.
struct InboxState: Sendable, Equatable {
    /// The most items that are kept, the newest ones.
    static let maxItems = 1000

    /// The customer whose items these are.
    private var customerIDs: [String: String] = [:]
    private var items: [InboxItem] = []
    /// The token by which the gateway sends only what is new.
    private(set) var syncToken: String?

    init(customerIDs: [String: String] = [:]) { self.customerIDs = customerIDs }

    /// Begins a fetch: what belongs to other ids is dropped, with its sync token (R155).
    mutating func select(_ customerIDs: [String: String]) {
        if self.customerIDs != customerIDs { self = InboxState(customerIDs: customerIDs) }
    }

    /// A fetch for the selected customer has ended.
    ///
    /// - Parameter response: The response.
    /// - Throws: `malformedResponse` without a list of messages.
    mutating func fetched(_ response: JSONValue) throws(SwitchboardError) {
        let token = response["sync_token"]?.text
        let fetched = try response.required("messages", \.elements)
            .compactMap { InboxItem($0, syncToken: token, customerIDs: customerIDs) }
        if syncToken == nil { items = [] }
        let ids = Set(fetched.map { ByteText($0.id) })
        items.removeAll { ids.contains(ByteText($0.id)) }
        items = (items + fetched).sorted { ($0.createdAt ?? .distantPast) > ($1.createdAt ?? .distantPast) }
        items.removeLast(max(items.count - Self.maxItems, 0))
        syncToken = token
    }

    /// Returns the items that have not expired, newest first.
    func current(at now: Date) -> [InboxItem] { items.filter { $0.expiresAt.map { now < $0 } ?? true } }

    /// An item was marked as read.
    mutating func read(_ item: InboxItem) {
        guard let index = items.firstIndex(where: { $0.id.utf8.elementsEqual(item.id.utf8) }) else { return }
        items[index].isRead = true
    }
}

/// A category of consents of Bloomreach.
public struct ConsentCategory: Sendable, Hashable, Identifiable {
    /// The id.
    public var id: String
    /// Whether the brand needs no consent for it.
    public var hasLegitimateInterest: Bool
    /// The sources of consents, with whether each is allowed.
    public var sources: [String: Bool]
    /// The texts by language: `name` and `description` among others.
    public var translations: [String: [String: String]]

    /// Reads a category; nil without an id.
    init?(_ value: JSONValue) {
        guard let id = value["id"]?.text else { return nil }
        self.id = id
        hasLegitimateInterest = value["legitimate_interest"]?.flag ?? false
        sources = (value["sources"]?.members ?? [:]).compactMapValues(\.flag)
        translations = (value["translations"]?.members ?? [:]).mapValues { texts in
            (texts.members ?? [:]).compactMapValues(\.text)
        }
    }
}

/// The result of a self-check of the way of pushes (R164).
public struct SelfCheckResult: Sendable, Hashable {
    /// A step, in the order of the check.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The app has registered a push token.
        case token
        /// The events that waited were sent.
        case events
        /// The gateway took the request for a silent push.
        case request
        /// The silent push arrived.
        case push
    }

    /// The step that failed; nil if the way works.
    public var failedStep: Step?
    /// The error of the step.
    public var error: SwitchboardError?
}
