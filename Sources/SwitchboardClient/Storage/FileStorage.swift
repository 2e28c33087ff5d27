public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A record in a file that only its owner can read (mode 0600), replaced atomically.
public struct FileStorage: ClientStorage {
    private let url: URL

    /// Creates a storage.
    ///
    /// Two clients must not share a file.
    ///
    /// - Parameter url: The file; its folder must exist.
    public init(url: URL) { self.url = url }

    /// Reads the file.
    public func load() throws -> Data? {
        do {
            return try Data(contentsOf: url)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch CocoaError.fileNoSuchFile {
            return nil
        }
    }

    /// Writes a second file, syncs it, renames it over the first, and syncs the folder.
    public func save(_ record: Data) throws {
        let temporary = url.path + ".new"
        // A rest of an earlier process may have other rights.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure() }
        do {
            try Self.write(record, to: descriptor)
            guard fsync(descriptor) == 0 else { throw Self.failure() }
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        guard close(descriptor) == 0, rename(temporary, url.path) == 0 else {
            let failure = Self.failure()
            unlink(temporary)
            throw failure
        }
        syncFolder()
        #if canImport(UIKit)
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: url.path
        )
        #endif
    }

    /// Removes the file, and syncs the folder.
    public func remove() throws {
        unlink(url.path + ".new")
        guard unlink(url.path) == 0 || errno == ENOENT else { throw Self.failure() }
        syncFolder()
    }

    /// Makes the names in the folder durable, so that a power failure brings no removed record back; not every file
    /// system can.
    private func syncFolder() {
        let descriptor = open(url.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func write(_ record: Data, to descriptor: Int32) throws {
        var rest = record[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure() }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure() -> SwitchboardError {
        SwitchboardError(.storage, String(cString: strerror(errno)))
    }
}

/// The system's `write`, under a name that the type's own function does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
