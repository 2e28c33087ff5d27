import Foundation

@testable import SwitchboardClient

/// A storage in memory that fails on request.
final class FaultyStorage: ClientStorage {
    struct Failure: Error {}

    private struct State: Sendable {
        var record: Data?
        var isFull = false
        var isUnreadable = false
        var canRemove = true
        var saves = 0
    }

    private let state = Locked(State())

    init(_ record: Data? = nil) { state.withLock { $0.record = record } }

    /// The bytes of the record.
    var record: Data? { state.withLock { $0.record } }
    /// The record as text.
    var text: String { record.map { String(decoding: $0, as: UTF8.self) } ?? "" }
    var saves: Int { state.withLock { $0.saves } }
    func fill(_ isFull: Bool = true) { state.withLock { $0.isFull = isFull } }
    func lock(_ isUnreadable: Bool = true) { state.withLock { $0.isUnreadable = isUnreadable } }
    func keep() { state.withLock { $0.canRemove = false } }

    func load() throws -> Data? {
        try state.withLock { state in
            if state.isUnreadable { throw Failure() }
            return state.record
        }
    }

    func save(_ record: Data) throws {
        try state.withLock { state in
            if state.isFull { throw Failure() }
            state.record = record
            state.saves += 1
        }
    }

    func remove() throws {
        try state.withLock { state in
            if !state.canRemove { throw Failure() }
            state.record = nil
        }
    }
}
