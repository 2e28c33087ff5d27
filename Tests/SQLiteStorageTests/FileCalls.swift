import Dispatch
import GRDBSQLite
import Synchronization

/// A record of the calls that reach SQLite's own methods of a file, below those that replace them.
///
/// It belongs to the address of an open file: the file itself leads only to its uppermost methods.
struct FileCalls {
    enum Call: Equatable {
        case write(bytes: Int)
        case sync
        case pause
    }

    private struct Record {
        /// The address of SQLite's own methods.
        var original: UInt = 0
        var calls: [Call] = []
        /// The durations of syncs, in microseconds.
        var syncs: [UInt32] = []
        /// The durations of pauses, in microseconds.
        var pauses: [UInt32] = []
        /// The error of the next write, once.
        var nextWrite = SQLITE_OK
        /// The error of the next sync, once.
        var nextSync = SQLITE_OK
    }

    private static let records = Mutex<[UInt: Record]>([:])

    private let file: UInt

    /// Records the calls on a file from now on, before other methods are installed on it.
    init(_ file: UnsafeMutablePointer<sqlite3_file>) {
        let key = UInt(bitPattern: file)
        let original = UInt(bitPattern: file.pointee.pMethods)
        Self.records.withLock { $0[key] = Record(original: original) }
        self.file = key
        // Never freed: SQLite calls them until it closes the file.
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: file.pointee.pMethods.pointee)
        methods.pointee.xWrite = { file, bytes, count, offset in
            let key = UInt(bitPattern: file)
            let error = FileCalls.change(key) { record in
                record.calls.append(.write(bytes: Int(count)))
                defer { record.nextWrite = SQLITE_OK }
                return record.nextWrite
            }
            guard error == SQLITE_OK else { return error }
            guard let original = FileCalls.original(of: key) else { return SQLITE_MISUSE }
            return original.pointee.xWrite(file, bytes, count, offset)
        }
        methods.pointee.xSync = { file, flags in
            let key = UInt(bitPattern: file)
            let error = FileCalls.change(key) { record in
                record.calls.append(.sync)
                defer { record.nextSync = SQLITE_OK }
                return record.nextSync
            }
            guard error == SQLITE_OK else { return error }
            guard let original = FileCalls.original(of: key) else { return SQLITE_MISUSE }
            let start = DispatchTime.now().uptimeNanoseconds
            let code = original.pointee.xSync(file, flags)
            let microseconds = UInt32(clamping: (DispatchTime.now().uptimeNanoseconds - start) / 1000)
            FileCalls.change(key) { $0.syncs.append(microseconds) }
            return code
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }

    private static func original(of file: UInt) -> UnsafePointer<sqlite3_io_methods>? {
        UnsafePointer(bitPattern: change(file) { $0.original })
    }

    @discardableResult
    private static func change<Value: Sendable>(_ file: UInt, _ body: (inout Record) -> Value) -> Value {
        records.withLock { body(&$0[file, default: Record()]) }
    }

    /// The calls in their order.
    var all: [Call] { Self.change(file) { $0.calls } }

    /// The sizes of the writes, in bytes.
    var writes: [Int] {
        all.compactMap { call in
            guard case .write(let bytes) = call else { return nil }
            return bytes
        }
    }

    /// The durations of the syncs, in microseconds.
    var syncs: [UInt32] { Self.change(file) { $0.syncs } }

    /// The durations of the pauses, in microseconds.
    var pauses: [UInt32] { Self.change(file) { $0.pauses } }

    /// Forgets the calls so far.
    func clear() {
        Self.change(file) { record in
            record.calls = []
            record.syncs = []
            record.pauses = []
        }
    }

    /// Records a pause instead of waiting.
    func pause(_ microseconds: UInt32) {
        Self.change(file) { record in
            record.calls.append(.pause)
            record.pauses.append(microseconds)
        }
    }

    /// Makes the next write fail, without effect.
    func failNextWrite(_ error: Int32) { Self.change(file) { $0.nextWrite = error } }

    /// Makes the next sync fail, without effect.
    func failNextSync(_ error: Int32) { Self.change(file) { $0.nextSync = error } }
}
