import FairSharing
import TestSupport
import Testing

@Suite("FairWorkQueue: owners take turns")
struct FairWorkQueueTests {
    private typealias Line = FairWorkQueue<String, Int>

    /// The displaced piece; nil when there is none.
    private func enter(_ line: inout Line, _ element: Int, _ owner: String) throws -> Int? {
        switch line.enter(element, of: owner) {
        case .entered: return nil
        case .displaced(let other): return other
        case .full:
            Issue.record("\(element) of \(owner) was rejected: the line is full")
            return nil
        }
    }

    private func isFull(_ line: inout Line, _ element: Int, _ owner: String) -> Bool {
        if case .full = line.enter(element, of: owner) { true } else { false }
    }

    @Test("starts one piece of each owner in turn, and an owner's pieces in order")
    func turns() throws {
        var line = Line(runningAtOnce: 1, capacity: 10)
        for number in 1...3 { #expect(try enter(&line, number, "a") == nil) }
        #expect(try enter(&line, 11, "b") == nil)
        #expect(try enter(&line, 21, "c") == nil)
        #expect(try enter(&line, 12, "b") == nil)
        var begun: [Int] = []
        while let (owner, element) = line.next() {
            #expect(line.next() == nil)
            begun.append(element)
            line.ended(owner)
        }
        #expect(begun == [1, 11, 21, 2, 12, 3] && line.count == 0)
    }

    @Test("one owner may fill it; then its newest pieces are displaced by a newcomer's until both hold the same")
    func displacing() throws {
        var line = Line(runningAtOnce: 1, capacity: 4)
        for number in 1...4 { #expect(try enter(&line, number, "a") == nil) }
        #expect(line.next()?.element == 1)
        #expect(isFull(&line, 5, "a"))
        #expect(try enter(&line, 11, "b") == 4)
        #expect(try enter(&line, 12, "b") == 3)
        #expect(isFull(&line, 13, "b") && isFull(&line, 6, "a"))
        // One runs, one waits; the newcomer displaces the waiting one.
        #expect(line["a"] == 2 && line["b"] == 2)
        let third = try #require(try enter(&line, 21, "c"))
        #expect([2, 12].contains(third) && line.count == 4)
        line.ended("a")
        var rest: Set<Int> = []
        while let (owner, element) = line.next() {
            rest.insert(element)
            line.ended(owner)
        }
        #expect(rest == Set([2, 11, 12, 21]).subtracting([third]) && line.count == 0)
    }

    @Test("leaves half of the running slots to others while one owner's pieces keep coming")
    func running() throws {
        var line = Line(runningAtOnce: 4, capacity: 10)
        for number in 1...5 { #expect(try enter(&line, number, "a") == nil) }
        #expect(line.next()?.element == 1 && line.next()?.element == 2 && line.next() == nil)
        #expect(try enter(&line, 11, "b") == nil)
        #expect(try enter(&line, 12, "b") == nil)
        #expect(line.next()?.element == 11 && line.next() == nil)
        #expect(try enter(&line, 21, "c") == nil)
        #expect(line.next()?.element == 21 && line.next() == nil)
        for owner in ["a", "a"] { line.ended(owner) }
        // Two run; an owner with none is first, and then nobody may have a second.
        #expect(line.next()?.element == 3 && line.next() == nil)
    }

    @Test("loses no piece and keeps its limits under random load", arguments: 1...20)
    func random(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let atOnce = Int.random(in: 1...6, using: &random)
        let capacity = atOnce + Int.random(in: 0...20, using: &random)
        var line = FairWorkQueue<Int, Int>(runningAtOnce: atOnce, capacity: capacity)
        var waiting: [Int: [Int]] = [:]
        var running: [Int] = []
        func held(_ owner: Int) -> Int { (waiting[owner]?.count ?? 0) + running.count { $0 == owner } }
        for element in 0..<3000 {
            let owner = Int.random(in: 0...Int.random(in: 0...9, using: &random), using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let all = running.count + waiting.values.reduce(0) { $0 + $1.count }
                let most = waiting.keys.map(held).max() ?? 0
                switch line.enter(element, of: owner) {
                case .entered: #expect(all < capacity)
                case .displaced(let other):
                    let loser = waiting.first { $0.value.last == other }?.key
                    #expect(all == capacity && loser.map(held) == most && most > held(owner) + 1)
                    if let loser {
                        waiting[loser]?.removeLast()
                        if waiting[loser]?.isEmpty == true { waiting[loser] = nil }
                    }
                case .full:
                    #expect(all == capacity && most <= held(owner) + 1)
                    continue
                }
                waiting[owner, default: []].append(element)
            case 2, 3:
                if let (owner, element) = line.next() {
                    #expect(waiting[owner]?.first == element && running.count < atOnce)
                    #expect(!running.contains(owner) || running.count < atOnce / 2)
                    waiting[owner]?.removeFirst()
                    if waiting[owner]?.isEmpty == true { waiting[owner] = nil }
                    running.append(owner)
                } else {
                    // No waiting piece may run.
                    #expect(
                        running.count == atOnce
                            || waiting.keys.allSatisfy { running.contains($0) && running.count >= atOnce / 2 }
                    )
                }
            default:
                guard let ended = running.indices.randomElement(using: &random) else { continue }
                line.ended(running.remove(at: ended))
            }
            #expect(line[owner] == held(owner))
        }
        var isLeft = true
        while isLeft {
            for owner in running { line.ended(owner) }
            running = []
            isLeft = false
            while let (owner, element) = line.next() {
                isLeft = true
                #expect(waiting[owner]?.removeFirst() == element)
                running.append(owner)
            }
        }
        #expect(line.count == 0 && waiting.values.allSatisfy(\.isEmpty))
    }
}
