import Foundation
import GatewayClient
import Glibc
package import Identity
internal import TextFormats

/// The master key file and the files beside it during a rotation: at every moment the keys that are needed to decrypt
/// the data exist.
///
/// No key is ever deleted: a backup, or a database that a restore has kept, may need it.
///
/// A rotation writes `.new`, links the old key to a second name, encrypts everything with the new key in one
/// transaction of the store, and renames `.new` over the old key. Each step is on disk before the next. After a crash
/// the valid key is the one that decrypts the data: before the commit the old one, after it `.new`. A restore whose
/// data needs a kept key uses the same steps with a copy of that key.
package struct MasterKeyFile: Sendable {
    /// The file's path, symbolic links resolved.
    package let path: String

    /// The reason why a key that is not in use is kept; part of its file name.
    package enum Reason: String, CaseIterable, Sendable {
        /// A rotation replaced it.
        case rotation = "before-rotation"
        /// A restore replaced it.
        case restore = "before-restore"
        /// It was a new key whose rotation was interrupted and not completed.
        case abandoned = "set-aside"
    }

    /// The file of the new key during a rotation.
    package var newPath: String { path + ".new" }

    private func prefix(_ reason: Reason) -> String { "\(path).\(reason.rawValue)-" }

    /// Resolves a symbolic link, so that the path still points to the key afterwards.
    package init(path: String) {
        guard let resolved = realpath(path, nil) else {
            self.path = path
            return
        }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// Whether an interrupted rotation left its new key.
    var hasNew: Bool { access(newPath, F_OK) == 0 }

    /// The files of kept keys.
    var kept: [String] {
        let directory = path.folderOfPath
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
        let prefixes = Reason.allCases.map { (prefix($0) as NSString).lastPathComponent }
        return names.filter { name in prefixes.contains { name.hasPrefix($0) } }.sorted(by: >)
            .map { (directory as NSString).appendingPathComponent($0) }
    }

    /// Writes the new key beside the old one, with the same owner and mode, but without access for others.
    ///
    /// A new key that an interrupted rotation left is set aside, under a name with the suffix `time`.
    ///
    /// - Throws: ``CommandFailure`` with status 3; nothing but `.new` has changed then.
    package func writeNew(_ key: MasterKey, time: String) throws {
        // Other data may be encrypted with it: its rotation was committed, and then a backup was restored.
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

    /// Links the old key to the name under which it is kept, with the reason and the suffix `time`, and returns that
    /// path; it also stays in its place.
    ///
    /// - Throws: ``CommandFailure`` with status 3, also where the key's file could not be replaced later: it is mounted
    ///   by itself.
    package func keepOld(_ reason: Reason, time: String) throws -> String {
        // A rotation that was interrupted before its commit left such a name, with another time.
        for name in namesOfOld { unlink(name) }
        return try link(path, reason, time)
    }

    /// Replaces the old key with the new one, and returns the name under which the old one is kept: with the suffix
    /// `time`, if it has no other name yet.
    ///
    /// - Throws: ``CommandFailure`` with status 3; then both keys exist under their names.
    package func replace(time: String) throws -> String {
        let old = try namesOfOld.first ?? keepOld(.rotation, time: time)
        guard rename(newPath, path) == 0 else { throw notWritable(path) }
        try syncDirectory()
        chmod(old, 0o600)
        return old
    }

    /// Replaces the current key with another one that decrypts the current data; the current one is kept under the
    /// returned name, with the suffix `time`.
    ///
    /// - Throws: ``CommandFailure`` with status 3; then both keys exist under some name.
    func take(_ key: MasterKey, time: String) throws -> String {
        try writeNew(key, time: time)
        _ = try keepOld(.restore, time: time)
        return try replace(time: time)
    }

    /// Reads the key in a file; nil when there is none.
    static func read(_ path: String) -> MasterKey? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return try? MasterKey(base64: text)
    }

    /// Links a key's file to a second, unique name.
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

    /// The kept names that are hard links to the file itself.
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
            "\(name) cannot be written: \(reason); the new master key is written beside the current one, so that the "
                + "directory must be writable, and the file must not be a mount point"
        )
    }
}

/// The inode of a file; all compared files are on the same file system.
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
