import Dispatch
import Synchronization
import Testing

@testable import GuardedHTTP

@Suite("The system's resolver", .timeLimit(.minutes(10)))
struct SystemResolverTests {
    private final class Ended: Sendable {
        let count = Atomic(0)
    }

    @Test("finds all addresses of a name, and none of one that is not there")
    func names() async {
        let resolver = SystemResolver()
        let found = await resolver.addresses(of: "localhost", for: "")
        #expect(!found.isEmpty && found.allSatisfy { AddressKind($0) == .loopback })
        #expect(await resolver.addresses(of: "no.such.name.invalid", for: "").isEmpty)
        resolver.shutdown()
    }

    @Test("looks one brand's names up while another's hang and fill the line")
    func shares() async throws {
        let hold = DispatchSemaphore(value: 0)
        let ended = Ended()
        let found = try #require(InternetAddress("192.0.2.1"))
        let resolver = SystemResolver { host in
            if host == "held.example" { hold.wait() }
            return [found]
        }
        let held = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<1100 {
                    group.addTask {
                        _ = await resolver.addresses(of: "held.example", for: "greedy")
                        ended.count.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        // Until the line is full.
        while ended.count.load(ordering: .relaxed) < 1100 - 1024 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await resolver.addresses(of: "any.example", for: "other") == [found])
        #expect(await resolver.addresses(of: "any.example", for: "") == [found])
        for _ in 0..<1100 { hold.signal() }
        await held.value
        resolver.shutdown()
    }
}
