extension String {
    /// The folder of the file or folder at this path: everything before its last name; empty when it has one name only.
    ///
    /// Foundation's `deletingLastPathComponent` ends the process for a path of one character (Swift 6.3 on Linux).
    package var folderOfPath: String {
        let slash = UInt8(ascii: "/")
        guard let last = utf8.lastIndex(where: { $0 != slash }) else { return isEmpty ? "" : "/" }
        guard let end = self[...last].utf8.lastIndex(of: slash) else { return "" }
        guard let kept = self[..<end].utf8.lastIndex(where: { $0 != slash }) else { return "/" }
        return String(self[...kept])
    }
}
