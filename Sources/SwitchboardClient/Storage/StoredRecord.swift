import Foundation

/// Everything that the library keeps on the device: one record.
struct StoredRecord: Sendable, Hashable, Codable {
    /// The version of the record's form; another one is wiped.
    static let currentSchema = 2
    /// The version of the library.
    static let libraryVersion = "0.1.0"

    var schema = Self.currentSchema
    var libraryVersion = Self.libraryVersion
    /// The kinds of pushes that may still arrive for whoever was logged in last.
    var receives = PushKinds.all
    /// The consumer; nil after a logout.
    var user: StoredUser?

    /// The members that every version can read, to carry a login over an upgrade.
    struct Head: Decodable {
        struct User: Decodable {
            struct Session: Decodable { var token: String }
            var userID: String?
            var session: Session?
        }
        var schema: Int
        var libraryVersion: String
        var user: User?
    }

    /// Returns the bytes of the record.
    func encoded() throws(SwitchboardError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try encoder.encode(self)
        } catch {
            throw SwitchboardError(.storage, "the record cannot be encoded")
        }
    }
}

/// Everything that belongs to one consumer; a logout deletes it as a whole.
struct StoredUser: Sendable, Hashable, Codable {
    /// A session token of the gateway.
    struct Session: Sendable, Hashable, Codable {
        var token: String
        /// The wall clock at which it expires.
        var expiresAt: Date?
        /// The hash of the method and credential that it was opened with: another one does not continue it.
        var fingerprint: String
    }

    /// The most accounts whose PKCE parameters are kept.
    static let maxPkce = 8

    /// The random id of the device for this consumer.
    var deviceID = RandomText.identifier()
    /// The user as the app names it.
    var userID: String?
    /// The consumer as the gateway names it.
    var consumerID: String?
    var isAnonymous = false
    var session: Session?
    var registration = RegistrationState()
    var ledger = PushLedger()
    var reports = ReportQueue()
    var unread: Int?
    var pkce: [String: PkceParameters] = [:]
    /// The random id of the customer in Bloomreach's calls.
    var cookie = RandomText.identifier()
    /// The customer as ``SwitchboardClient/identifyCustomer(_:properties:)`` named it.
    var registered: String?
    var events = EventQueue()
    var tokenTracking = TokenTracking()

    /// The customer as Bloomreach knows it; nil for an anonymous one.
    var registeredID: String? { registered ?? (isAnonymous ? nil : userID ?? consumerID) }
    /// The ids of the customer in Bloomreach's calls.
    var customerIDs: [String: String] {
        var ids = ["cookie": cookie]
        ids["registered"] = registeredID
        return ids
    }
}
