import Foundation

/// The names that the master key's file and its likes have while the key is changed: they lie side by side, and at every
/// moment those that are needed to open the data are there.
///
/// A rotation writes `.new`, gives the old key a second name, has the store seal everything anew in one transaction, and
/// renames `.new` over the old key. Each step is on disk before the next. Which key holds after a crash is what opens the
/// data: before the commit the old one, whatever lies beside it, after it `.new`.
struct MasterKeyFile {
    /// The file itself, where a symbolic link leads to.
    let path: String

    /// The key that a rotation is about to put in place.
    var newPath: String { path + ".new" }

    private var keptPrefix: String { path + ".before-rotation-" }

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

    /// Whether a rotation has left its new key.
    var hasNew: Bool { access(newPath, F_OK) == 0 }

    /// The old keys that rotations have kept, newest first.
    var kept: [String] {
        let directory = (path as NSString).deletingLastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
        let prefix = (keptPrefix as NSString).lastPathComponent
        return names.filter { $0.hasPrefix(prefix) }.sorted(by: >)
            .map { (directory as NSString).appendingPathComponent($0) }
    }

    /// Writes the new key beside the old one, for whoever can read that: with its owner, and its mode but for others.
    ///
    /// - Parameter text: The key's text.
    /// - Throws: ``CommandFailure`` with status 3; nothing but `.new` has changed then.
    func writeNew(_ text: String) throws {
        guard let old = FileFacts(path), unlink(newPath) == 0 || errno == ENOENT else { throw notWritable(newPath) }
        let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw notWritable(newPath) }
        defer { close(descriptor) }
        let bytes = Array((text + "\n").utf8)
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
    /// - Parameter time: What the name ends in.
    /// - Returns: The name.
    /// - Throws: ``CommandFailure`` with status 3, also where the key's file could not be replaced later: it is mounted by
    ///   itself.
    func keepOld(time: String) throws -> String {
        // A rotation that did not come to its commit has left such a name; it says another time.
        for name in namesOfOld { unlink(name) }
        for number in 1..<100 {
            let name = keptPrefix + time + (number == 1 ? "" : "-\(number)")
            if link(path, name) == 0 {
                try syncDirectory()
                return name
            }
            guard errno == EEXIST else { throw notWritable(name) }
        }
        throw notWritable(keptPrefix + time)
    }

    /// Puts the new key in the place of the old one, which keeps its other name.
    ///
    /// - Parameter time: What the name of the old key ends in, if it has no other name yet.
    /// - Returns: The name under which the old key is kept.
    /// - Throws: ``CommandFailure`` with status 3; both keys are there under their names then.
    func replace(time: String) throws -> String {
        let old = try namesOfOld.first ?? keepOld(time: time)
        guard rename(newPath, path) == 0 else { throw notWritable(path) }
        try syncDirectory()
        chmod(old, 0o600)
        return old
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
