import Foundation
import GatewayClient
internal import TextFormats

/// The data directory of an instance, created with mode 0700; its secrets have mode 0600 and are created once.
package struct DataDirectory: Sendable {
    /// The admin token's file name.
    package static let adminTokenName = "admin-token"
    /// The master key's file name.
    static let masterKeyName = "master-key"
    /// The database's file name.
    static let databaseName = "switchboard.sqlite"

    /// The file name of the last verdicts on canaries.
    static let canariesName = "canaries.json"

    /// The instance's settings.
    package let settings: GatewaySettings

    /// Creates a description of an instance's files; nothing is read or written yet.
    package init(settings: GatewaySettings) { self.settings = settings }

    /// The SQLite file.
    package var databasePath: String { settings.storage.sqlitePath ?? path(Self.databaseName) }

    /// The admin token's file.
    var adminTokenPath: String { settings.server.adminTokenFile ?? path(Self.adminTokenName) }

    /// The master key's file.
    package var masterKeyPath: String { settings.server.masterKeyFile ?? path(Self.masterKeyName) }

    /// The file of the last verdicts on canaries.
    var canariesPath: String { path(Self.canariesName) }

    /// Creates the directory when it is missing and checks that it is writable; throws ``CommandFailure`` with status
    /// 3.
    package func prepare() throws {
        let directory = settings.server.dataDir
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory) {
            guard isDirectory.boolValue else {
                throw CommandFailure(.data, "the data directory \(directory) is not a directory")
            }
        } else {
            let parent = directory.folderOfPath
            if !parent.isEmpty {
                try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            }
            // Another process that starts at the same time may have created it meanwhile.
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
                throw CommandFailure(.data, "the data directory \(directory) cannot be created: \(Self.systemError())")
            }
        }
        guard access(directory, R_OK | W_OK | X_OK) == 0 else {
            throw CommandFailure(.data, "the data directory \(directory) cannot be used: \(Self.systemError())")
        }
    }

    /// Reads the admin token; makes one when it is missing and its file is not configured; throws ``CommandFailure``.
    func adminToken(make: () -> String) throws -> (text: String, isNew: Bool) {
        let isNamed = settings.server.adminTokenFile != nil
        return try secret(at: adminTokenPath, isNamed: isNamed, what: "the admin token", missing: .usage, make: make)
    }

    /// Reads the master key; makes one when it is missing, its file is not configured, and there is no database yet;
    /// throws ``CommandFailure``.
    func masterKey(make: () -> String) throws -> (text: String, isNew: Bool) {
        // A new key for old data would make every stored credential unreadable without an error.
        let isNamed = settings.server.masterKeyFile != nil || FileManager.default.fileExists(atPath: databasePath)
        let (path, what) = (masterKeyPath, "the master key")
        do {
            return try secret(at: path, isNamed: isNamed, what: what, missing: .masterKey, make: make)
        } catch var failure as CommandFailure where failure.status == .masterKey {
            let file = MasterKeyFile(path: path)
            let kept = (file.hasNew ? [file.newPath] : []) + file.kept
            if !kept.isEmpty {
                failure.message +=
                    "; keys are kept in \(kept.joined(separator: ", ")): copy one to \(file.path) and run check"
            }
            throw failure
        }
    }

    private func path(_ name: String) -> String {
        (settings.server.dataDir as NSString).appendingPathComponent(name)
    }

    private func secret(
        at path: String,
        isNamed: Bool,
        what: String,
        missing: ProcessStatus,
        make: () -> String
    ) throws -> (text: String, isNew: Bool) {
        var isNew = false
        if !isNamed, access(path, F_OK) != 0, errno == ENOENT {
            isNew = try create(path, make() + "\n", what)
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            let exists = access(path, F_OK) == 0
            throw CommandFailure(
                missing,
                "\(what) \(exists ? "in \(path) cannot be read" : "is missing: there is no \(path)")"
            )
        }
        return (text, isNew)
    }

    /// Writes a secret to a new file atomically; returns false when another process was faster.
    private func create(_ path: String, _ text: String, _ what: String) throws -> Bool {
        let temporary = "\(path).\(ProcessInfo.processInfo.processIdentifier).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.data, "\(what) cannot be written to \(temporary): \(Self.systemError())")
        }
        defer { unlink(temporary) }
        let bytes = Array(text.utf8)
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let error = Self.systemError()
        close(descriptor)
        guard isWritten else { throw CommandFailure(.data, "\(what) cannot be written to \(temporary): \(error)") }
        // `link` fails if the name exists: one of two processes wins, and both read the same secret.
        let isNew = link(temporary, path) == 0
        // A secret must not be used while a power failure could still lose its directory entry.
        guard isNew || errno == EEXIST, Self.syncDirectory(of: path) else {
            throw CommandFailure(.data, "\(what) cannot be written to \(path): \(Self.systemError())")
        }
        return isNew
    }

    /// Syncs the directory of a file to disk; returns false and sets `errno` on an error.
    static func syncDirectory(of path: String) -> Bool {
        let directory = path.folderOfPath
        let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    static func systemError() -> String { String(cString: strerror(errno)) }
}
