internal import Foundation

/// The name of a backup in a directory of backups: `switchboard-20260102T030405Z.sqlite`, and with `-2`, `-3` and so on
/// behind the time for further ones of the same second.
struct BackupName: Comparable {
    /// The time in UTC: `20260102T030405Z`.
    let time: String
    /// The number within the second, from 1.
    let number: Int

    private static let start = "switchboard-"
    private static let end = ".sqlite"

    /// Creates the name of a backup.
    ///
    /// - Parameters:
    ///   - time: The time, as ``time``.
    ///   - number: The number within the second, from 1.
    init(time: String, number: Int = 1) {
        self.time = time
        self.number = number
    }

    /// Parses the name of a file; nil for every name that ``fileName`` does not write.
    ///
    /// - Parameter name: The name without its directory.
    init?(fileName name: String) {
        guard name.hasPrefix(Self.start), name.hasSuffix(Self.end), name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        let parts = name.dropFirst(Self.start.count).dropLast(Self.end.count)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let number = parts.count == 1 ? 1 : Int(parts[1]) else { return nil }
        self.init(time: String(parts[0]), number: number)
        let form = "00000000T000000Z"
        guard time.count == form.count, number >= 1, fileName == name,
            zip(time, form).allSatisfy({ $1 == "0" ? $0.isNumber : $0 == $1 })
        else { return nil }
    }

    /// The name of the file.
    var fileName: String { Self.start + time + (number == 1 ? "" : "-\(number)") + Self.end }

    static func < (left: BackupName, right: BackupName) -> Bool {
        (left.time, left.number) < (right.time, right.number)
    }

    /// Returns the backups in a directory, oldest first; other files are skipped.
    ///
    /// - Parameter directory: The directory.
    /// - Returns: The names; none when the directory cannot be read.
    static func all(in directory: String) -> [BackupName] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.compactMap(BackupName.init(fileName:)).sorted()
    }
}
