internal import Foundation

/// The free space of a file system.
package enum FreeSpace {
    /// Returns the bytes that this process may still write.
    ///
    /// - Parameter path: A file or directory on the file system.
    /// - Returns: Nil when the system does not report it.
    package static func bytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
