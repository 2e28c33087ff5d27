import ArgumentParser
import Foundation
import Gateway
import GatewayClient
import GatewayModel
import GatewayStorage
import Identity
import Logging
import Synchronization
import Telemetry

/// Changes the key that encrypts the stored secrets.
struct MasterKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "master-key",
        abstract: "Change the key that encrypts the stored secrets.",
        discussion: "EXAMPLE\n  switchboard master-key rotate --data-dir ./data",
        subcommands: [Rotate.self]
    )

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Encrypt all stored secrets with a new master key; no gateway may run on the data.",
            discussion: """
                Decrypts every stored secret with the current key (exit code 4 when one fails), encrypts it with a new \
                key in one transaction, and puts the new key in place. The old key is kept beside it as \
                master-key.before-rotation-TIME: older backups need it. After an interruption, the next start of \
                serve, check or this command completes the rotation from the state of the data. Earlier list cursors \
                become invalid; sessions and tokens stay valid. A key file that several instances share cannot be \
                changed this way.

                EXAMPLES
                  switchboard master-key rotate --data-dir ./data
                  switchboard master-key rotate --config switchboard.yaml --new-key-file /run/keys/next --json
                """
        )
        @OptionGroup var options: ServeOptions
        @Option(
            help: ArgumentHelp(
                "Use this key, 32 bytes as base64 (- is standard input), instead of a generated one.",
                valueName: "file"
            )
        )
        var newKeyFile: String?
        @Flag(help: "Print progress even if standard error is not a terminal.") var progress = false
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            umask(0o077)
            let settings = try await options.loader.load()
            let files = DataDirectory(settings: settings)
            guard FileManager.default.fileExists(atPath: files.databasePath) else {
                throw CommandFailure(.data, "there is no \(files.databasePath): nothing is encrypted yet")
            }
            let new = try newKey()
            let logger = settings.log.logger("switchboard", threshold: LogThreshold(.warning))
            let store = try files.openStore(logger: logger)
            let result: Result<Outcome, any Error>
            do {
                let loaded = try await files.loadDirectory(store: store, logger: logger)
                if case .finished(let kept) = loaded.change {
                    var outcome = Outcome(kept: kept, hasFinished: true)
                    // On success a given key must be the one in use.
                    if newKeyFile != nil, !new.isSame(as: loaded.key) {
                        let next = try await rotate(files, store, from: loaded.key, to: new)
                        (outcome.kept, outcome.keptBefore, outcome.counts) = (next.kept, kept, next.counts)
                    }
                    result = .success(outcome)
                } else {
                    result = .success(try await rotate(files, store, from: loaded.key, to: new))
                }
            } catch {
                result = .failure(error)
            }
            await store.close()
            print(try result.get(), MasterKeyFile(path: files.masterKeyPath).path)
        }

        private struct Outcome {
            var kept: String
            /// The file of the key before the old one, if this run completed an earlier rotation and did another.
            var keptBefore: String?
            /// Whether this run completed an earlier rotation.
            var hasFinished = false
            /// The number of encrypted secrets; nil when this run only completed an earlier rotation.
            var counts: ResealedCounts?
        }

        private func newKey() throws -> MasterKey {
            guard let newKeyFile else { return MasterKey() }
            do {
                return try MasterKey(base64: try JSONFile.readText(newKeyFile))
            } catch let rejection as MasterKey.Rejection {
                throw CommandFailure(.usage, "\(newKeyFile): \(rejection.text)")
            }
        }

        private func rotate(
            _ files: DataDirectory,
            _ store: any TenantStore,
            from old: MasterKey,
            to new: MasterKey
        ) async throws -> Outcome {
            guard !new.isSame(as: old) else { throw CommandFailure(.usage, "the new master key is the one in use") }
            let file = MasterKeyFile(path: files.masterKeyPath)
            let time = DataDirectory.timeSuffix()
            try file.writeNew(new, time: time)
            _ = try file.keepOld(.rotation, time: time)
            let shown = Mutex(Progress(isAsked: progress))
            let counts: ResealedCounts
            do {
                counts = try await Directory.reseal(store: store, from: old, to: new, clock: SystemClock()) { count in
                    shown.withLock { $0.say("\(count) secrets encrypted") }
                }
            } catch {
                // A commit whose sync failed may still be on disk: only the next opening of the data shows it.
                var failure = CommandFailure(error, path: files.databasePath)
                failure.message += "; both keys are kept, and the next start uses the one that decrypts the data"
                throw failure
            }
            shown.withLock { $0.say("\(counts.total) secrets encrypted", isLast: true) }
            do {
                return Outcome(kept: try file.replace(time: time), counts: counts)
            } catch var failure as CommandFailure {
                failure.message += "; the data is now encrypted with \(file.newPath): the next start puts it in place"
                throw failure
            }
        }

        private func print(_ outcome: Outcome, _ path: String) {
            if json {
                var members: [String: JSONValue] = [
                    "masterKey": .string(path), "oldKey": .string(outcome.kept),
                    "finishedEarlierRotation": .bool(outcome.hasFinished),
                ]
                if let counts = outcome.counts {
                    members["apps"] = .integer(Int64(counts.apps))
                    members["credentials"] = .integer(Int64(counts.credentials))
                    members["webhookKeys"] = .integer(Int64(counts.webhookKeys))
                    members["hooks"] = .integer(Int64(counts.hooks))
                }
                StandardOutput.write(JSONValue.object(members).text)
            } else if let counts = outcome.counts {
                StandardOutput.write(
                    "\(path): \(counts.apps) apps, \(counts.credentials) credentials, \(counts.webhookKeys) webhook keys and "
                        + "\(counts.hooks) hooks are encrypted with the new key"
                )
            } else {
                StandardOutput.write(
                    "\(path): completed an earlier interrupted rotation; run this again for another key"
                )
            }
            let all = [outcome.keptBefore, outcome.kept].compactMap(\.self).joined(separator: " and ")
            StandardError.write(
                "switchboard: older backups need the old key, which is kept as \(all): keep it as long as them, "
                    + "elsewhere"
            )
        }
    }
}
