#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The permissions of a directory of the data.
///
/// Any thread. It is declared beside the lock and not where it is used: in a module that also sees SwiftNIO the
/// compiler takes the members of `stat` for those of SwiftNIO's own C module, which cannot be imported.
package struct DirectoryPermissions: Sendable {
    /// The device number and inode, the same for each name of one directory.
    package let identity: [UInt64]
    /// The permission bits of owner, group and others, 0 to 0o777.
    package let mode: UInt32

    /// Whether the group or others have any permission.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Reads the permissions; for a link, those of its target.
    ///
    /// Nil when there is no directory, or when it cannot be read.
    ///
    /// - Parameter path: The directory.
    package init?(of path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        identity = [UInt64(facts.st_dev), UInt64(facts.st_ino)]
        mode = UInt32(facts.st_mode) & 0o777
    }
}
