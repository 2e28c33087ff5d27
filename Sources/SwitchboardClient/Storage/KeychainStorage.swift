#if canImport(Security)
public import Foundation
import Security

/// A record in the Keychain, on this device only and readable after the first unlock, so that pushes can be handled in
/// the background.
public struct KeychainStorage: ClientStorage {
    private let service: String
    private let accessGroup: String?

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - service: The name of the item, unique in the app.
    ///   - accessGroup: The group that the app shares with its Notification Service Extension; nil for the app alone.
    public init(service: String = "switchboard", accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    private var query: [CFString: Any] {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
        return query
    }

    /// Reads the item.
    public func load() throws -> Data? {
        var query = query
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = result as? Data else { throw Self.failure(status) }
        return data
    }

    /// Replaces the item.
    public func save(_ record: Data) throws {
        let update: [CFString: Any] = [kSecValueData: record]
        var status = SecItemUpdate(query as CFDictionary, update as CFDictionary)
        if status == errSecItemNotFound {
            var item = query
            item[kSecValueData] = record
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            status = SecItemAdd(item as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Self.failure(status) }
    }

    /// Removes the item.
    public func remove() throws {
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
    }

    private static func failure(_ status: OSStatus) -> SwitchboardError {
        SwitchboardError(.storage, "Keychain status \(status)")
    }
}
#endif
