import CSQLite
import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("Rotation of the master key", .timeLimit(.minutes(10)))
struct MasterKeyRotationTests: MasterKeyTests {
    private static let webhookSecret = "whsec_" + Data(repeating: 5, count: 32).base64EncodedString()
    private static let sdkSecret = String(repeating: "k", count: 40)
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// An SDK key's assertion for `u-1`.
    private func assertion() -> String {
        func part(_ bytes: some Sequence<UInt8>) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        let now = Int(Date.now.timeIntervalSince1970)
        let claims = #"{"iss":"web","iat":\#(now),"exp":\#(now + 600),"identifier":"u-1"}"#
        let input = part(#"{"alg":"HS256","typ":"JWT"}"#.utf8) + "." + part(claims.utf8)
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(input.utf8),
            using: SymmetricKey(data: Data(Self.sdkSecret.utf8))
        )
        return input + "." + part(code)
    }

    private func startReceiver() async throws -> (process: ChildProcess, port: Int) {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = try ChildProcess(
            "/usr/bin/python3",
            [
                root.appending(path: "Deploy/examples/webhook_receiver.py").path(), "127.0.0.1:0",
                directory.path("batches"),
            ],
            environment: ["SWITCHBOARD_WEBHOOK_SECRET": Self.webhookSecret]
        )
        return (process, try #require(Int(try await process.line("listening on 127.0.0.1:"))))
    }

    @Test(
        "afterwards pushes, assertions and webhooks work; nothing uses the old key; old backups open with it"
    )
    func wholeLife() async throws {
        let receiver = try await startReceiver()
        let fixture = try await GatewayFixture.start(in: directory)
        let webhook: JSONValue = [
            "url": .string("http://127.0.0.1:\(receiver.port)/hook"), "secret": .string(Self.webhookSecret),
        ]
        // A renewed secret and the one before it.
        for hook in [["url": webhook["url"], "secret": .null], webhook] as [JSONValue] {
            _ = try await fixture.gateway.admin.call("PATCH", fixture.path(), body: ["settings": ["webhook": hook]])
        }
        _ = try await fixture.gateway.admin.call(
            "POST",
            fixture.path("credentials"),
            body: ["kind": "sdkKey", "name": "web", "secret": .string(Self.sdkSecret)]
        )
        _ = try await fixture.gateway.admin.call(
            "POST",
            fixture.path("credentials"),
            body: ["kind": "jweKey", "name": "jwe", "algorithm": "ECDH-ES"]
        )
        _ = try await fixture.gateway.admin.call(
            "PUT",
            fixture.path("hooks", "desk"),
            body: ["kind": "chatwoot", "secret": "kx8wYq3vT1mZ5nB7"]
        )
        let session = try await fixture.gateway.session("u-1", device: "phone")
        let backup = directory.path("backup.sqlite")
        #expect(try await run(["backup", backup, "--data-dir", data]).status == .ok)
        let running = try await run(["master-key", "rotate", "--data-dir", data])
        #expect(running.status == .data && running.errors.contains("another switchboard"), "\(running.errors)")
        #expect(!FileManager.default.fileExists(atPath: data + "/master-key.new"))
        #expect(try await fixture.gateway.process.stop().status == 0)

        let old = try key()
        #expect(try sealed(with: old) >= 5)
        let report = try await rotate()
        #expect(report["apps"].integer == 1 && report["credentials"].integer == 2 && report["webhookKeys"].integer == 2)
        #expect(report["hooks"].integer == 1)
        let new = try key()
        #expect(new != old)
        #expect(try sealed(with: old) == 0, "no row, no free page and no log holds anything under the old key")
        #expect(try sealed(with: new) >= 5)
        let kept = report["oldKey"].plain
        #expect(kept.hasPrefix(data + "/master-key.before-rotation-"))
        #expect(try key((kept as NSString).lastPathComponent) == old)
        for path in [data + "/master-key", kept] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
        }

        let again = try await fixture.restarted()
        #expect(try await again.post("e-1").status == 202)
        #expect(try await fixture.simulator.pushes(1).first?["result"].string == "accepted")
        _ = try await receiver.process.line("taken up to 1")
        let granted = try await APIClient(server: again.gateway.url, bearer: "none").call(
            "POST",
            fixture.path("sessions"),
            body: ["grant": "assertion", "token": .string(assertion()), "sdkKeyName": "web"]
        )
        #expect(granted.body["consumer"]["id"].string == "u-1")
        let phone = APIClient(server: again.gateway.url, bearer: session)
        #expect(try await phone.exchange("GET", fixture.path("unread")).status == 200, "sessions stay valid")
        #expect(try await again.gateway.process.stop().status == 0)

        // The old backup: the new key does not decrypt it, so the old one replaces it.
        let back = try await run(["restore", backup, "--data-dir", data, "--force", "--json"])
        #expect(back.status == .ok && back.errors.contains(kept), "\(back.errors)")
        let aside = try JSONValue(parsing: Data((back.output.first ?? "null").utf8))
        #expect(try key() == old)
        let restored = try await fixture.restarted()
        #expect(try await restored.post("e-2").status == 202)
        #expect(try await fixture.simulator.pushes(2).count == 2)
        #expect(try await restored.gateway.process.stop().status == 0)

        // The newer data and its key were kept: both can be restored in the same way.
        #expect(try key((aside["masterKeyKeptAside"].plain as NSString).lastPathComponent) == new)
        let forth = try await run(["restore", aside["keptAside"].plain, "--data-dir", data, "--force"])
        #expect(forth.status == .ok, "\(forth.errors)")
        #expect(try key() == new)
        let newer = try await fixture.restarted()
        let known = try await newer.post("e-1").body.text
        #expect(known.contains(#""duplicate""#), "it holds what came after the backup: \(known)")
        #expect(try await newer.gateway.process.stop().status == 0)
        receiver.process.signal(SIGKILL)
        _ = try await fixture.simulator.process.stop()
    }

    @Test("a rotation that is not possible exits with its own code, and the data opens as before")
    func rejections() async throws {
        let empty = try await run(["master-key", "rotate", "--data-dir", directory.path("none")])
        #expect(empty.status == .data && !FileManager.default.fileExists(atPath: directory.path("none")))
        try await prepare()
        let before = try key()
        func refused(_ arguments: String..., status: ProcessStatus) async throws -> String {
            let result = try await run(["master-key", "rotate", "--data-dir", data] + arguments)
            #expect(result.status == status && result.output.isEmpty, "\(result)")
            #expect(try key() == before)
            #expect(try sealed(with: before) == 1)
            return result.errors
        }
        let given = directory.path("given")
        func give(_ bytes: Data) throws { try Data(bytes.base64EncodedString().utf8).write(to: URL(filePath: given)) }
        try give(Data(repeating: 9, count: 31))
        #expect(try await refused("--new-key-file", given, status: .usage).contains("32 bytes"))
        try give(before)
        #expect(try await refused("--new-key-file", given, status: .usage).contains("in use"))
        #expect(try await refused("--new-key-file", directory.path("none"), status: .usage).contains("none"))
        try give(Data(repeating: 9, count: 32))
        let wrong = try await refused("--master-key-file", given, status: .masterKey)
        #expect(wrong.contains("credential acme/"), "\(wrong)")
        #expect(!FileManager.default.fileExists(atPath: given + ".new"))

        // The new key cannot be written.
        try FileManager.default.createDirectory(atPath: data + "/master-key.new", withIntermediateDirectories: false)
        #expect(try await refused(status: .data).contains("master-key.new cannot be written"))
        try FileManager.default.removeItem(atPath: data + "/master-key.new")

        // The key is in another directory, behind a link, readable by a group.
        let elsewhere = directory.path("keys")
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: data + "/master-key", toPath: elsewhere + "/key")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: elsewhere + "/key")
        try FileManager.default.createSymbolicLink(atPath: data + "/link", withDestinationPath: elsewhere + "/key")
        let report = try await rotate("--master-key-file", data + "/link", "--new-key-file", given)
        #expect(report["oldKey"].plain.contains("/keys/key.before-rotation-"))
        #expect(try key("link") == Data(repeating: 9, count: 32))
        let attributes = try FileManager.default.attributesOfItem(atPath: elsewhere + "/key")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        #expect(try await run(["check", "--data-dir", data, "--master-key-file", given]).status == .ok)
    }

    @Test("a key that a rotation left before its commit is not used; the next rotation replaces it")
    func leftover() async throws {
        try await prepare()
        let old = try key()
        try Data("half of a k".utf8).write(to: URL(filePath: data + "/master-key.new"))
        let check = try await run(["check", "--data-dir", data])
        #expect(check.status == .ok && check.errors.contains("master-key.new"), "\(check.errors)")
        let report = try await rotate()
        #expect(report["finishedEarlierRotation"] == .bool(false))
        #expect(try key() != old)
        #expect(!FileManager.default.fileExists(atPath: data + "/master-key.new"))
        let clean = try await run(["check", "--data-dir", data])
        #expect(clean.status == .ok && clean.errors.isEmpty, "\(clean.errors)")
    }

    /// A system call that is never executed: the process is killed on entry to the call.
    struct Kill: CustomTestStringConvertible {
        var calls: String
        var number: Int
        /// Whether the process has that many such calls in every run.
        ///
        /// The tracer counts for each thread, and work changes threads where it waits. The certain calls are made
        /// without waiting: opening the database, then the new key and the old one's second name.
        var mustCome: Bool

        var testDescription: String { "\(calls) \(number)" }

        static func series(_ calls: String, _ numbers: some Sequence<Int>, certain: Int) -> [Kill] {
            numbers.map { Kill(calls: calls, number: $0, mustCome: $0 <= certain) }
        }
    }

    private static let kills: [Kill] =
        Kill.series("fsync", 1...4, certain: 3) + Kill.series("fdatasync", 1...5, certain: 2)
        + Kill.series("pwrite64", stride(from: 1, through: 26, by: 3), certain: 13)
        + ["fchmod", "?link,?linkat", "?rename,?renameat,?renameat2", "?chmod,?fchmodat", "ftruncate"].flatMap {
            Kill.series($0, 1...1, certain: 1)
        }

    @Test("killed at any step, the next start opens the data with the right key", arguments: kills)
    func killed(_ kill: Kill) async throws {
        try await prepare()
        let old = try key()
        let pristine = directory.path("pristine")
        try FileManager.default.moveItem(atPath: data, toPath: pristine)
        for verb in ["check", "rotate", "serve"] {
            try? FileManager.default.removeItem(atPath: data)
            try FileManager.default.copyItem(atPath: pristine, toPath: data)
            let isKilled = try await killRotation(at: kill.calls, number: kill.number)
            #expect(isKilled || !kill.mustCome)
            let isCut = FileManager.default.fileExists(atPath: data + "/master-key.new")
            let isCommitted = try sealed(with: old) == 0
            if !isKilled { #expect(!isCut && isCommitted) }
            switch verb {
            case "check":
                let check = try await run(["check", "--data-dir", data])
                #expect(check.status == .ok, "\(check.errors)")
                #expect(check.errors.contains("completed") || check.errors.contains("was interrupted") || !isCut)
            case "rotate":
                _ = try await rotate()
            default:
                let gateway = try await GatewayProcess.start(in: directory)
                let listed = try await gateway.admin.call("GET", ["v1", "brands", "acme", "credentials"])
                #expect(listed.body["items"].items.count == 1)
                #expect(try await gateway.process.stop().status == 0)
            }
            let inForce = try key()
            #expect(try sealed(with: inForce) == 1)
            if inForce != old {
                #expect(try sealed(with: old) == 0)
                let names = try FileManager.default.contentsOfDirectory(atPath: data)
                let kept = try names.filter { $0.contains("before-rotation") }.map { try key($0) }
                #expect(kept.contains(old), "the old key is kept")
            }
        }
    }

    @Test(
        "killed after the commit, each subcommand completes the rotation",
        arguments: ["check", "rotate", "serve"]
    )
    func finished(_ verb: String) async throws {
        try await prepare()
        let old = try key()
        try #require(try await killRotation(at: "?rename,?renameat,?renameat2"))
        let new = try key("master-key.new")
        #expect(try key() == old)
        switch verb {
        case "check":
            let check = try await run(["check", "--data-dir", data])
            #expect(check.status == .ok && check.errors.contains("completed"), "\(check.errors)")
        case "rotate":
            let report = try await rotate()
            #expect(report["finishedEarlierRotation"] == .bool(true) && report["credentials"] == .null)
        default:
            let gateway = try await GatewayProcess.start(in: directory)
            #expect(try await gateway.process.stop().status == 0)
        }
        #expect(try key() == new)
        #expect(try sealed(with: new) == 1)
        #expect(!FileManager.default.fileExists(atPath: data + "/master-key.new"))
        let names = try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.contains("before-rotation") }
        #expect(names.count == 1)
        #expect(try key(names[0]) == old)
    }

    @Test("with a given key, a rotation continues with it after it has completed an earlier one")
    func givenAfterFinished() async throws {
        try await prepare()
        let old = try key()
        try #require(try await killRotation(at: "?rename,?renameat,?renameat2"))
        let cut = try key("master-key.new")
        let given = directory.path("given")
        let wanted = Data(repeating: 9, count: 32)
        try Data(wanted.base64EncodedString().utf8).write(to: URL(filePath: given))
        let report = try await rotate("--new-key-file", given)
        #expect(report["finishedEarlierRotation"] == .bool(true) && report["credentials"].integer == 1)
        #expect(try key() == wanted)
        #expect(try sealed(with: wanted) == 1 && sealed(with: cut) == 0 && sealed(with: old) == 0)
        let keys = try kept("before-rotation")
        #expect(keys.count == 2 && keys.contains(old) && keys.contains(cut))
    }

    @Test("when the given key is the one of the completed rotation, nothing is left to do")
    func givenIsFinished() async throws {
        try await prepare()
        try #require(try await killRotation(at: "?rename,?renameat,?renameat2"))
        let given = directory.path("given")
        try FileManager.default.copyItem(atPath: data + "/master-key.new", toPath: given)
        let report = try await rotate("--new-key-file", given)
        #expect(report["finishedEarlierRotation"] == .bool(true) && report["credentials"] == .null)
        #expect(try sealed(with: key()) == 1)
        #expect(try kept("before-rotation").count == 1)
    }

    /// Runs a rotation that is paused when both keys have their names and nothing is encrypted again yet, and sets the
    /// result of the database's syncs from then on.
    private func rotate(
        sync: Int32,
        _ body: (_ tracer: ChildProcess, _ process: Int32) async throws -> Void
    ) async throws {
        let faults = try await FaultSwitch(in: directory)
        let (tracer, process) = try await hold(
            ["master-key", "rotate", "--data-dir", data],
            at: "?link,?linkat",
            environment: faults.environment
        )
        #expect(try kept("before-rotation").count == 1)
        try faults.set(sync: sync)
        Foundation.kill(process, SIGCONT)
        try await body(tracer, process)
    }

    private func wait(for what: String, until isDone: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(540)
        while try !isDone() {
            guard ContinuousClock.now < deadline else { throw HarnessError("waited in vain for: \(what)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test(
        "when the commit cannot be synced both keys stay, and the next start uses the one that decrypts the data"
    )
    func commitNotSynced() async throws {
        try await prepare()
        let old = try key()
        try await rotate(sync: EIO) { tracer, _ in
            let exit = try await tracer.ended()
            #expect(exit == .init(status: ProcessStatus.data.rawValue, isSignal: false))
            #expect(tracer.errors.joined().contains("both keys are kept"), "\(tracer.errors)")
        }
        let new = try key("master-key.new")
        #expect(try key() == old)
        let check = try await run(["check", "--data-dir", data])
        #expect(check.status == .ok, "\(check.errors)")
        let inForce = try key()
        #expect(try sealed(with: inForce) == 1)
        let other = inForce == old ? new : old
        #expect(try sealed(with: other) == 0)
    }

    @Test("killed while the commit is being synced, the next start completes the rotation")
    func killedInCommit() async throws {
        try await prepare()
        let old = try key()
        // The log has a page, and another connection that keeps it until the rotation has opened the data: the first page of
        // a log is written after a sync of its header.
        var other: OpaquePointer?
        sqlite3_open(data + "/switchboard.sqlite", &other)
        #expect(sqlite3_exec(other, "PRAGMA user_version = 0", nil, nil, nil) == SQLITE_OK)
        try await rotate(sync: FaultSwitch.hang) { tracer, process in
            sqlite3_close(other)
            let new = try key("master-key.new")
            try await wait(for: "the transaction in the log") { try sealed(with: new) > 0 }
            Foundation.kill(process, SIGKILL)
            _ = try await tracer.ended()
        }
        let new = try key("master-key.new")
        #expect(try key() == old)
        let check = try await run(["check", "--data-dir", data])
        #expect(check.status == .ok && check.errors.contains("completed"), "\(check.errors)")
        #expect(try key() == new)
        #expect(try sealed(with: old) == 0)
    }
}
