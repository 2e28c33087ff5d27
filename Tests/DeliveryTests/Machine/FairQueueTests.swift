import Testing

@testable import Delivery

@Suite("The fair queue")
struct FairQueueTests {
    private func queue(size: Int = 1000, bytes: Int = 1_000_000) -> FairQueue<String, String> {
        FairQueue(limits: .init(size: size, bytes: bytes))
    }

    @Test("keeps the order of one owner, and removes at most the given weight")
    func order() {
        var queue = queue()
        for number in 0..<10 { queue.append("\(number)", size: 3, bytes: 1, of: "a") }
        #expect(queue.next(atMost: 10) == ["0", "1", "2"])
        #expect(queue.next(atMost: 3) == ["3"])
        #expect(queue.size == 18)
        #expect(queue.next(atMost: 1000) == ["4", "5", "6", "7", "8", "9"])
        #expect(queue.isEmpty && queue.size == 0 && queue.bytes == 0)
    }

    @Test("removes one element that is larger than the turn")
    func large() {
        var queue = queue()
        queue.append("large", size: 50, bytes: 1, of: "a")
        queue.append("next", size: 1, bytes: 1, of: "a")
        #expect(queue.next(atMost: 10) == ["large"])
        #expect(queue.next(atMost: 10) == ["next"])
    }

    @Test("an owner with few elements is served in the next turns, however many others wait")
    func share() {
        var queue = queue(size: 100_000, bytes: 100_000_000)
        for number in 0..<100 { queue.append("flood \(number)", size: 500, bytes: 1, of: "flood") }
        for number in 0..<20 { queue.append("small \(number)", size: 1, bytes: 1, of: "small") }
        var served: [String] = []
        for _ in 0..<2 { served += queue.next(atMost: 500) }
        #expect(served.filter { $0.hasPrefix("small") }.count == 20)
        #expect(served.contains { $0.hasPrefix("flood") })
    }

    @Test("a turn is limited by weight, and the room by size")
    func weight() {
        var queue = queue(size: 10)
        for number in 0..<4 { queue.append("\(number)", size: 1, weight: 40, bytes: 1, of: "a") }
        #expect(queue.size == 4 && queue.admits(size: 6, bytes: 1, of: "b"))
        #expect(queue.next(atMost: 100) == ["0", "1"])
        queue.append("small", size: 1, bytes: 1, of: "b")
        #expect(queue.next(atMost: 100) == ["2", "small", "3"])
    }

    @Test("owners with equal loads are served equally, whatever the size of their pieces")
    func deficit() {
        var queue = queue(size: 1_000_000, bytes: 1_000_000_000)
        for number in 0..<200 { queue.append("big \(number)", size: 500, bytes: 1, of: "big") }
        for number in 0..<50_000 { queue.append("one \(number)", size: 1, bytes: 1, of: "one") }
        var (big, one) = (0, 0)
        for _ in 0..<100 {
            for element in queue.next(atMost: 500) {
                if element.hasPrefix("big") { big += 500 } else { one += 1 }
            }
        }
        let ratio = Double(big) / Double(one)
        #expect(ratio > 0.8 && ratio < 1.25, "\(big) and \(one)")
    }

    @Test("a single owner never fills all the room, so that a new one finds some")
    func room() {
        var queue = queue(size: 100)
        var taken = 0
        while queue.admits(size: 1, bytes: 1, of: "flood") {
            queue.append("x", size: 1, bytes: 1, of: "flood")
            taken += 1
        }
        #expect(taken == 80)
        #expect(queue.admits(size: 10, bytes: 1, of: "other"))
        var others = 0
        while queue.admits(size: 1, bytes: 1, of: "other") {
            queue.append("y", size: 1, bytes: 1, of: "other")
            others += 1
        }
        #expect(others >= 10)
        #expect(queue.size <= 100)
    }

    @Test("an element that is larger than all the room is admitted when nothing waits")
    func alone() {
        var queue = queue(size: 10, bytes: 10)
        #expect(queue.admits(size: 500, bytes: 500, of: "a"))
        queue.append("huge", size: 500, bytes: 500, of: "a")
        #expect(!queue.admits(size: 1, bytes: 1, of: "b"))
        #expect(queue.next(atMost: 10) == ["huge"])
        #expect(queue.admits(size: 1, bytes: 1, of: "b"))
    }

    @Test("removes everything at once")
    func removeAll() {
        var queue = queue()
        queue.append("1", size: 1, bytes: 1, of: "a")
        queue.append("2", size: 1, bytes: 1, of: "b")
        queue.append("3", size: 1, bytes: 1, of: "a")
        #expect(queue.removeAll() == ["1", "3", "2"])
        #expect(queue.isEmpty && queue.size == 0 && queue.bytes == 0)
    }
}
