import Foundation
import Glibc
import Identity

/// The names that the master key's file and its likes have while the key is changed: they lie side by side, and at every
/// moment those that are needed to open the data are there.
///
/// No key is ever taken away: a backup, or a database that a restore has kept, may need it.
///
/// A rotation writes `.new`, gives the old key a second name, has the store seal everything anew in one transaction, and
/// renames `.new` over the old key. Each step is on disk before the next. Which key holds after a crash is what opens the
/// data: before the commit the old one, whatever lies beside it, after it `.new`. A restore whose data a kept key opens
/// goes the same way with a copy of that key.
struct MasterKeyFile {
    /// The file itself, where a symbolic link leads to.
    let path: String

    /// Why a key is kept that is not in force, as the names of such files say.
    enum Reason: String, CaseIterable {
        /// A rotation has put another in its place.
        case rotation = "before-rotation"
        /// A restore has.
        case restore = "before-restore"
        /// It was about to be put in place when that was cut short, and then something else was done.
        case abandoned = "set-aside"
    }

    /// The key that is about to be put in place.
    var newPath: String { path + ".new" }

    private func prefix(_ reason: Reason) -> String { "\(path).\(reason.rawValue)-" }

    /// Takes the file's name.
    ///
    /// - Parameter path: The name; a symbolic link is followed, so that it goes on leading to the key.
    init(path: String) {
        guard let resolved = realpath(path, nil) else {
            self.path = path
            return
        }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// Whether a change that was cut short has left its new key.
    var hasNew: Bool { access(newPath, F_OK) == 0 }

    /// The keys that are kept.
    var kept: [String] {
        let directory = (path as NSString).deletingLastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
        let prefixes = Reason.allCases.map { (prefix($0) as NSString).lastPathComponent }
        return names.filter { name in prefixes.contains { name.hasPrefix($0) } }.sorted(by: >)
            .map { (directory as NSString).appendingPathComponent($0) }
    }

    /// Writes the new key beside the old one, for whoever can read that: with its owner, and its mode but for others.
    ///
    /// A key that a change has left there is set aside.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - time: What the name of one that is set aside ends in.
    /// - Throws: ``CommandFailure`` with status 3; nothing but `.new` has changed then.
    func writeNew(_ key: MasterKey, time: String) throws {
        // Data that is not here may be sealed with it: its change was committed, and then a backup was restored.
        if Self.read(newPath) != nil { _ = try link(newPath, .abandoned, time) }
        guard let old = FileFacts(path), unlink(newPath) == 0 || errno == ENOENT else { throw notWritable(newPath) }
        let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw notWritable(newPath) }
        defer { close(descriptor) }
        let bytes = Array((key.base64 + "\n").utf8)
        guard let made = FileFacts(newPath),
            (made.owner, made.group) == (old.owner, old.group) || fchown(descriptor, old.owner, old.group) == 0,
            fchmod(descriptor, 0o400 | old.mode & 0o640) == 0,
            write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
        else {
            let failure = notWritable(newPath)
            unlink(newPath)
            throw failure
        }
        try syncDirectory()
    }

    /// Gives the old key the name under which it is kept, as it is in its own place still.
    ///
    /// - Parameters:
    ///   - reason: What the name says.
    ///   - time: What the name ends in.
    /// - Returns: The name.
    /// - Throws: ``CommandFailure`` with status 3, also where the key's file could not be replaced later: it is mounted by
    ///   itself.
    func keepOld(_ reason: Reason, time: String) throws -> String {
        // A rotation that did not come to its commit has left such a name; it says another time.
        for name in namesOfOld { unlink(name) }
        return try link(path, reason, time)
    }

    /// Puts the new key in the place of the old one, which keeps its other name.
    ///
    /// - Parameter time: What the name of the old key ends in, if it has no other name yet.
    /// - Returns: The name under which the old key is kept.
    /// - Throws: ``CommandFailure`` with status 3; both keys are there under their names then.
    func replace(time: String) throws -> String {
        let old = try namesOfOld.first ?? keepOld(.rotation, time: time)
        guard rename(newPath, path) == 0 else { throw notWritable(path) }
        try syncDirectory()
        chmod(old, 0o600)
        return old
    }

    /// Puts another key in the place of the one that is there, which is kept.
    ///
    /// - Parameters:
    ///   - key: The key that opens the data as it is now.
    ///   - time: What the name of the one that was there ends in.
    /// - Returns: That name.
    /// - Throws: ``CommandFailure`` with status 3; both keys are there under some name then.
    func take(_ key: MasterKey, time: String) throws -> String {
        try writeNew(key, time: time)
        _ = try keepOld(.restore, time: time)
        return try replace(time: time)
    }

    /// The key in a file; nil when there is none.
    ///
    /// - Parameter path: The file.
    /// - Returns: The key.
    static func read(_ path: String) -> MasterKey? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return try? MasterKey(base64: text)
    }

    /// Gives a key's file a second name, which no other has.
    private func link(_ file: String, _ reason: Reason, _ time: String) throws -> String {
        for number in 1..<100 {
            let name = prefix(reason) + time + (number == 1 ? "" : "-\(number)")
            if Glibc.link(file, name) == 0 {
                try syncDirectory()
                return name
            }
            guard errno == EEXIST else { throw notWritable(name) }
        }
        throw notWritable(prefix(reason) + time)
    }

    /// The kept names that mean the file itself.
    private var namesOfOld: [String] {
        guard let file = FileFacts(path) else { return [] }
        return kept.filter { FileFacts($0)?.number == file.number }
    }

    private func syncDirectory() throws {
        guard DataDirectory.syncDirectory(of: path) else { throw notWritable(path) }
    }

    private func notWritable(_ name: String) -> CommandFailure {
        let reason = DataDirectory.systemError()
        return CommandFailure(
            .data,
            "\(name) cannot be written: \(reason); the master key is changed beside the file that it is in, so that file's "
                + "directory must be writable, and the file not be mounted by itself"
        )
    }
}

/// What the system says of a file; its directory's file system is the same for all that are compared.
private struct FileFacts {
    var owner: UInt32
    var group: UInt32
    var mode: mode_t
    var number: UInt64

    init?(_ path: String) {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
            let owner = facts[.ownerAccountID] as? NSNumber, let group = facts[.groupOwnerAccountID] as? NSNumber,
            let mode = facts[.posixPermissions] as? NSNumber, let number = facts[.systemFileNumber] as? NSNumber
        else { return nil }
        self.owner = owner.uint32Value
        self.group = group.uint32Value
        self.mode = mode_t(mode.uint32Value)
        self.number = number.uint64Value
    }
}
