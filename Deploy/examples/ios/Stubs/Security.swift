// swift-format-ignore-file
import Foundation

// Linux has no bridging: here the bridge is the type itself.
public typealias CFString = String
public typealias CFDictionary = [CFString: Any]
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public let kSecClass = ""
public let kSecClassGenericPassword = ""
public let kSecAttrService = ""
public let kSecAttrAccessGroup = ""
public let kSecAttrAccessible = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = ""
public let kSecReturnData = ""
public let kSecMatchLimit = ""
public let kSecMatchLimitOne = ""
public let kSecValueData = ""
public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
