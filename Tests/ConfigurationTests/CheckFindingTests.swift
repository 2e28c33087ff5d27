import Foundation
import GatewayHTTP
import GatewayModel
import Testing

@testable import Gateway

@Suite("Findings of check")
struct CheckFindingTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let mebibyte: UInt64 = 1 << 20

    @Test(
        "the disk is bad below the limit, and short when the data would not fit once more",
        arguments: [
            (63, 1, CheckFinding.Level.bad), (64, 1, .warning), (256, 1, .ok), (256, 257, .warning), (5000, 4000, .ok),
        ] as [(UInt64, UInt64, CheckFinding.Level)]
    )
    func disk(free: UInt64, data: UInt64, level: CheckFinding.Level) {
        let found = CheckFinding.disk(
            free: free * Self.mebibyte,
            minFree: 64 * Self.mebibyte,
            data: data * Self.mebibyte
        )
        #expect(found.subject == "disk" && found.level == level)
        #expect(found.text.contains("\(free) MiB") && found.text.contains("\(data) MiB"))
        #expect(found.text.contains("storage.minFreeMegabytes") == (level == .bad))
    }

    @Test("an unknown free space is a warning, and without a limit any space is enough")
    func unknownDisk() {
        #expect(CheckFinding.disk(free: nil, minFree: 1, data: 1).level == .warning)
        #expect(CheckFinding.disk(free: 2, minFree: 0, data: 1).level == .ok)
    }

    @Test("limits that the file descriptors do not allow are named")
    func limits() {
        let settings = GatewaySettings()
        let enough = CheckFinding.limits(ConnectionLimits(settings, descriptors: 1_000_000), settings)
        #expect(enough.level == .ok && enough.text.contains("1000000"))
        let few = CheckFinding.limits(ConnectionLimits(settings, descriptors: 1024), settings)
        #expect(few.level == .warning)
        for name in ["server.maxConnections ", "provider.maxConnections ", "window.maxOpen "] {
            #expect(few.text.contains(name), "\(few.text)")
        }
    }

    @Test("the clock is compared with the newest time in the data")
    func clock() {
        func found(newest: Int64?, isGuarded: Bool = false) -> CheckFinding {
            .clock(Self.now, newest: newest.map { Self.now.adding(seconds: $0) }, isGuarded: isGuarded)
        }
        #expect(found(newest: nil).level == .ok && found(newest: -7200).level == .ok && found(newest: 1).level == .ok)
        let behind = found(newest: 7200)
        #expect(behind.level == .warning && behind.text.contains("2 hours behind"))
        let ahead = found(newest: -400_000, isGuarded: true)
        #expect(ahead.level == .warning && ahead.text.contains("4 days ahead"))
        #expect(ahead.text.contains("switchboard clock accept"))
    }

    @Test("pushes that have waited for more than an hour are a warning")
    func waiting() {
        func found(_ count: Int, seconds: Int64?) -> CheckFinding {
            .waiting(count, oldest: seconds.map { Self.now.adding(seconds: -$0) }, now: Self.now)
        }
        #expect(found(0, seconds: nil) == CheckFinding("pushes", .ok, "none waits"))
        #expect(found(3, seconds: 90).level == .ok && found(3, seconds: 90).text.hasPrefix("3 wait; the oldest"))
        #expect(found(3, seconds: 90).text.contains("90 seconds"))
        #expect(found(1, seconds: 7199).level == .warning && found(1, seconds: 7199).text.contains("119 minutes"))
        #expect(found(1, seconds: -90).level == .ok, "a clock that was set back is not a wait")
    }

    @Test("the last verdict on a canary has its age, and what to do when operators should act")
    func canaries() throws {
        func found(_ outcome: String?, alarming: Bool = false, seconds: Int64 = 1300) -> CheckFinding {
            let verdict = outcome.map {
                CanaryStatus.Verdict(
                    outcome: $0,
                    attemptedAt: Self.now.adding(seconds: -seconds).milliseconds,
                    isAlarming: alarming,
                    sentence: "Canary: the push failed."
                )
            }
            return .canary("acme/ios/apns/production", verdict, now: Self.now)
        }
        let subject = "canary acme/ios/apns/production"
        #expect(found(nil) == CheckFinding(subject, .ok, "no verdict yet"))
        #expect(found("accepted") == CheckFinding(subject, .ok, "accepted, 21 minutes ago"))
        #expect(found("accepted", seconds: -90) == CheckFinding(subject, .ok, "accepted, 0 seconds ago"))
        let text = "rejected, 21 minutes ago. Canary: the push failed."
        #expect(found("rejected", alarming: true) == CheckFinding(subject, .warning, text))
    }

    @Test("verdicts on canaries are kept until there is a new one, or the canary is gone")
    func canaryFile() throws {
        let path = NSTemporaryDirectory() + "switchboard-canaries-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func verdict(_ outcome: String) -> CanaryStatus.Verdict {
            CanaryStatus.Verdict(outcome: outcome, attemptedAt: 1, isAlarming: false, sentence: "s")
        }
        #expect(CanaryFile.read(path).isEmpty)
        let old = CanaryFile.merged([:], [("a", verdict("accepted")), ("b", verdict("timeout")), ("c", nil)])
        #expect(old.keys.sorted() == ["a", "b"] && CanaryFile.write(old, path) && CanaryFile.read(path) == old)
        let new = CanaryFile.merged(old, [("a", nil), ("c", verdict("rejected"))])
        #expect(new == ["a": verdict("accepted"), "c": verdict("rejected")])
        try "[1".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(CanaryFile.read(path).isEmpty && !CanaryFile.write(new, path + "/none"))
    }

    @Test("a name without addresses is bad; missing authorities are a warning")
    func names() {
        #expect(CheckFinding.name("push.example", addresses: 2).level == .ok)
        let unknown = CheckFinding.name("push.example", addresses: 0)
        #expect(unknown.subject == "dns push.example" && unknown.level == .bad && unknown.text.contains("resolv.conf"))
        let none = CheckFinding.trust([], of: ["/a", "/b"], further: "/own.pem")
        #expect(none.level == .warning && none.text.contains("/a or /b") && none.text.contains("/own.pem"))
        let some = CheckFinding.trust(["/b"], of: ["/a", "/b"], further: nil)
        #expect(some.level == .ok && some.text.hasSuffix("/b"))
    }
}
