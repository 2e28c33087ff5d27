import Dispatch
import Testing

@testable import GuardedHTTP

@Suite("The system's resolver", .timeLimit(.minutes(10)))
struct SystemResolverTests {
    /// A counter of events on other threads.
    private struct Occurrences: Sendable {
        private let all = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1100))

        func add() { all.continuation.yield() }

        /// Waits for the given number of further events.
        func wait(for count: Int) async {
            for await _ in all.stream.prefix(count) {}
        }
    }

    @Test("finds all addresses of a name, and none of an unknown one")
    func names() async {
        let threads = ResolverThreads(count: 2)
        let resolver = SystemResolver(threads: threads, atOnce: 2)
        let found = await resolver.addresses(of: "localhost", for: "")
        #expect(!found.isEmpty && found.allSatisfy { AddressKind($0) == .loopback })
        #expect(await resolver.addresses(of: "no.such.name.invalid", for: "").isEmpty)
        threads.shutdown()
    }

    @Test("looks the gateway's own names up while one of them hangs and another resolver uses all its threads")
    func ownNames() async throws {
        let hold = DispatchSemaphore(value: 0)
        let begun = Occurrences()
        let found = try #require(InternetAddress("192.0.2.1"))
        let threads = ResolverThreads(count: 12)
        let lookUp: @Sendable (String) -> [InternetAddress] = { host in
            if host == "held.example" {
                begun.add()
                hold.wait()
            }
            return [found]
        }
        let resolver = SystemResolver(threads: threads, atOnce: 8, lookUp: lookUp)
        let other = SystemResolver(threads: threads, atOnce: 4, lookUp: lookUp)
        let held = Task {
            await withTaskGroup(of: Void.self) { group in
                for owner in ["", "a", "b", "c", "d"] {
                    for _ in 0..<20 {
                        group.addTask { _ = await other.addresses(of: "held.example", for: owner) }
                    }
                }
                for _ in 0..<20 { group.addTask { _ = await resolver.addresses(of: "held.example", for: "") } }
            }
        }
        // Half of the one's threads hang, and all of the other's.
        await begun.wait(for: 8)
        for name in ["api.push.example", "fcm.example", "held2.example"] {
            #expect(await resolver.addresses(of: name, for: "") == [found])
        }
        for _ in 0..<120 { hold.signal() }
        await held.value
        threads.shutdown()
    }

    @Test("looks one brand's names up while another's hang and fill the queue")
    func shares() async throws {
        let hold = DispatchSemaphore(value: 0)
        let ended = Occurrences()
        let found = try #require(InternetAddress("192.0.2.1"))
        let threads = ResolverThreads(count: 16)
        let resolver = SystemResolver(threads: threads, atOnce: 16) { host in
            if host == "held.example" { hold.wait() }
            return [found]
        }
        let held = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<1100 {
                    group.addTask {
                        _ = await resolver.addresses(of: "held.example", for: "greedy")
                        ended.add()
                    }
                }
            }
        }
        // Until the queue is full.
        await ended.wait(for: 1100 - 1024)
        #expect(await resolver.addresses(of: "any.example", for: "other") == [found])
        #expect(await resolver.addresses(of: "any.example", for: "") == [found])
        for _ in 0..<1100 { hold.signal() }
        await held.value
        threads.shutdown()
    }
}
