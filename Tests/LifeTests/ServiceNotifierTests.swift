import Foundation
import ProcessHarness
import Testing

@testable import switchboard

@Suite("Notifications to the service manager", .timeLimit(.minutes(10)))
struct ServiceNotifierTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("without a socket there are none")
    func none() {
        #expect(ServiceNotifier(environment: [:]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "", "WATCHDOG_USEC": "1000"]) == nil)
    }

    @Test("the watchdog is notified at half of its timeout, unless it is for another process")
    func interval() {
        func interval(_ variables: [String: String]) -> Duration? {
            ServiceNotifier(environment: variables.merging(["NOTIFY_SOCKET": "@x"]) { $1 })?.watchdogInterval
        }
        #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(15))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "10000"]) == .milliseconds(5))
        for text in ["", "0", "-1", "9999", "soon"] { #expect(interval(["WATCHDOG_USEC": text]) == nil) }
        #expect(interval([:]) == nil)
    }

    @Test("a notification reaches a socket in the file system and an abstract one", arguments: [true, false])
    func send(isAbstract: Bool) async throws {
        let name = isAbstract ? "@switchboard-\(UUID().uuidString)" : directory.path("notify")
        let socket = try NotifySocket(name)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": name]))
        notifier.send("READY=1")
        #expect(try await socket.next() == "READY=1")
    }

    @Test("a notification without a receiver is dropped")
    func missing() throws {
        for name in [directory.path("missing"), "@\(UUID().uuidString)", String(repeating: "x", count: 200)] {
            try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": name])).send("READY=1")
        }
    }

    @Test("a notification to a receiver that does not read is dropped")
    func busy() async throws {
        let name = directory.path("notify")
        let socket = try NotifySocket(name)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": name]))
        // More than the queue of a datagram socket holds (net.unix.max_dgram_qlen).
        for number in 0..<5000 { notifier.send("STATUS=\(number)") }
        #expect(try await socket.next() == "STATUS=0")
    }

    @Test("the watchdog is notified after each check, and not while one does not return")
    func watchdog() async throws {
        let name = directory.path("notify")
        let socket = try NotifySocket(name)
        let variables = ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "20000"]
        let notifier = try #require(ServiceNotifier(environment: variables))
        let (checks, check) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await notifier.feedWatchdog { for await _ in checks { return } } }
            for _ in 0..<2 {
                let early = try await socket.next(within: .milliseconds(50))
                check.yield()
                let late = try await socket.next()
                #expect(early == nil && late == "WATCHDOG=1")
            }
            group.cancelAll()
        }
    }

    @Test("a gateway notifies when it is ready, while it is healthy, and when it stops")
    func gateway() async throws {
        let name = directory.path("notify")
        let socket = try NotifySocket(name)
        // So seldom that the few places of the socket's queue are enough on a busy host.
        let variables = ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "4000000"]
        let gateway = try await GatewayProcess.start(in: directory, environment: variables)
        var received: [String] = []
        while Set(received) != ["READY=1", "WATCHDOG=1"] { received.append(try #require(try await socket.next())) }
        let exit = Task { try await gateway.process.stop() }
        while received.last != "STOPPING=1" { received.append(try #require(try await socket.next())) }
        #expect(Set(received) == ["READY=1", "WATCHDOG=1", "STOPPING=1"])
        #expect(try await exit.value.status == 0)
    }
}
