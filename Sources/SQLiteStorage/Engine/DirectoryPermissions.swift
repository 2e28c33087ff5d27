#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Who may enter a directory of the data.
///
/// Any thread. It stands beside the lock and not where it is used: in a module that also sees SwiftNIO the compiler takes
/// the members of `stat` for those of SwiftNIO's own C module, which nobody may import.
package struct DirectoryPermissions: Sendable {
    /// The same for each name that leads to one directory: the device's number and the file's on it.
    package let identity: [UInt64]
    /// The permission bits of owner, group and others, 0 to 0o777.
    package let mode: UInt32

    /// Whether the group or others may do anything with it.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Reads them; of a link, those of what it leads to.
    ///
    /// Nil when there is no directory, or when it cannot be asked.
    ///
    /// - Parameter path: The directory.
    package init?(of path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        identity = [UInt64(facts.st_dev), UInt64(facts.st_ino)]
        mode = UInt32(facts.st_mode) & 0o777
    }
}
