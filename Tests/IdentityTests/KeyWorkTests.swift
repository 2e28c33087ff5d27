import Dispatch
import GatewayModel
import Synchronization
import Testing

@testable import Identity

@Suite("Work on keys", .timeLimit(.minutes(10)))
struct KeyWorkTests {
    private static let greedy = BrandID(trusted: "greedy")
    private static let other = BrandID(trusted: "other")

    @Test("of a brand with few pieces gets a place in the full queue, and its turn before the rest of the other's")
    func shares() async {
        let work = KeyWork<BrandID>()
        let hold = DispatchSemaphore(value: 0)
        let done = Mutex<[BrandID]>([])
        let refused = Counter()
        let run: @Sendable (BrandID) async -> DirectoryError? = { brand in
            do throws(DirectoryError) {
                try await work.run(of: brand) {
                    hold.wait()
                    done.withLock { $0.append(brand) }
                }
                return nil
            } catch {
                refused.next()
                return error
            }
        }
        await withTaskGroup(of: DirectoryError?.self) { group in
            for _ in 0..<100 { group.addTask { await run(Self.greedy) } }
            await refused.reaches(36)
            async let theirs = run(Self.other)
            // One of the others was displaced.
            await refused.reaches(37)
            for _ in 0..<64 { hold.signal() }
            let result = await theirs
            #expect(result == nil)
            let results = await group.reduce(into: [DirectoryError?]()) { $0.append($1) }
            #expect(results.count { $0 == .busy } == 37 && results.count { $0 == nil } == 63)
        }
        let order = done.withLock { $0 }
        #expect(order.count == 64 && order.firstIndex(of: Self.other).map { $0 <= 2 } == true)
    }
}
