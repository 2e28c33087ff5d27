public import Foundation

/// The place of the library's one record on the device.
///
/// The record holds session tokens, so the place must be private to the app. Calls come one at a time, and may block
/// shortly.
public protocol ClientStorage: Sendable {
    /// Reads the record.
    ///
    /// - Returns: The bytes that were saved last; nil if there are none.
    /// - Throws: Any error if there may be a record that cannot be read.
    func load() throws -> Data?
    /// Replaces the record as a whole: after an error the earlier one is still there.
    ///
    /// - Parameter record: The bytes.
    /// - Throws: Any error if the bytes are not stored.
    func save(_ record: Data) throws
    /// Removes the record; succeeds if there is none.
    ///
    /// - Throws: Any error if the record may still be there.
    func remove() throws
}

/// A record in memory, which ends with the process.
public final class MemoryStorage: ClientStorage {
    private let record = Locked<Data?>(nil)

    /// Creates an empty storage.
    public init() {}

    /// Returns the record.
    public func load() -> Data? { record.withLock { $0 } }
    /// Replaces the record.
    public func save(_ record: Data) { self.record.withLock { $0 = record } }
    /// Removes the record.
    public func remove() { record.withLock { $0 = nil } }
}
