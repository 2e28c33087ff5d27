import Foundation
import GatewayModel
import Identity
import Logging
import SQLiteStorage
import Telemetry

/// Brands, apps and credentials, and what became of the master key while they were loaded.
struct LoadedDirectory {
    /// What came into force in the place of the key that was there.
    enum KeyChange {
        /// The new key of a change that was cut short after its commit.
        case finished(keptAside: String)
    }

    /// Brands, apps and credentials.
    let directory: Directory
    /// The key in force.
    let key: MasterKey
    /// Nil when the key that was there is in force.
    var change: KeyChange?
}

extension DataDirectory {
    /// Loads brands, apps and credentials with the master key, and finishes a change of that key that was cut short after
    /// its commit.
    ///
    /// The key is read here: who holds the store is the only one that may change it.
    ///
    /// - Parameters:
    ///   - store: The store, which nobody else has open.
    ///   - logger: For what became of a change that was cut short.
    /// - Returns: The directory, with the key that opened it.
    /// - Throws: ``CommandFailure``.
    func loadDirectory(store: SQLiteStore, logger: Logger) async throws -> LoadedDirectory {
        let key = try readMasterKey()
        let file = MasterKeyFile(path: masterKeyPath)
        do {
            let directory = try await Self.load(store, key)
            if file.hasNew {
                logger.warning(
                    "a master key that is not used lies beside the one that is: a rotation did not come to its end; the next takes its place",
                    metadata: [LogKey.path: "\(file.newPath)"]
                )
            }
            return LoadedDirectory(directory: directory, key: key)
        } catch {
            guard case .wrongMasterKey = error else { throw CommandFailure(error, path: databasePath) }
            if let new = Self.readKey(file.newPath), let directory = try? await Self.load(store, new) {
                let old = try file.replace(time: Self.timeSuffix())
                logger.warning(
                    "a change of the master key that was cut short is finished; backups from before it need the old key",
                    metadata: [LogKey.path: "\(old)"]
                )
                return LoadedDirectory(directory: directory, key: new, change: .finished(keptAside: old))
            }
            var failure = CommandFailure(error, path: databasePath)
            for old in file.kept {
                guard let key = Self.readKey(old), await (try? Self.load(store, key)) != nil else { continue }
                failure.message += "; the key in \(old) opens it: copy that to \(file.path)"
                break
            }
            throw failure
        }
    }

    /// The end of a file's name that says when: `20260102T030405Z`.
    static func timeSuffix() -> String {
        SystemClock().now.rfc3339.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private static func readKey(_ path: String) -> MasterKey? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return try? MasterKey(base64: text)
    }

    private static func load(_ store: SQLiteStore, _ key: MasterKey) async throws(DirectoryError) -> Directory {
        let clock = SystemClock()
        return try await Directory.load(
            store: store,
            box: SecretBox(key: key),
            clock: clock,
            reader: AppCheck(clock: clock)
        )
    }
}
