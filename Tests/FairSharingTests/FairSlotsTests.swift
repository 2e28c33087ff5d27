import FairSharing
import TestSupport
import Testing

@Suite("FairSlots: slots that owners share")
struct FairSlotsTests {
    @Test("one owner fills the first half, and each owner without a place still gets one of the other half")
    func newcomers() {
        var slots = FairSlots<String>(capacity: 8)
        while slots.take("greedy") {}
        #expect(slots["greedy"] == 4 && slots.count == 4)
        for newcomer in ["a", "b", "c", "d"] {
            #expect(slots.take(newcomer) == true)
            #expect(!slots.take(newcomer) && !slots.take("greedy"))
        }
        #expect(!slots.take("e") && slots.count == 8)
        slots.release("greedy")
        #expect(!slots.take("greedy") && slots.take("e"))
    }

    @Test("an owner gets no more than its own limit")
    func ownLimit() {
        var slots = FairSlots<String>(capacity: 64, capacityPerOwner: 16)
        for owner in ["a", "b"] {
            for _ in 0..<16 { #expect(slots.take(owner) == true) }
            #expect(slots.take(owner) == false)
        }
        // The half of which an owner may take more than one is full.
        #expect(slots.take("c") && !slots.take("c"))
        slots.release("a", 16)
        #expect(slots["a"] == 0 && slots.take("c"))
    }

    @Test("the last place is for an owner that holds none, also when there is only one place")
    func single() {
        var slots = FairSlots<Int>(capacity: 1)
        #expect(slots.take(1) && !slots.take(1) && !slots.take(2))
        slots.release(1)
        #expect(slots.take(2) == true)
    }

    @Test(
        "under random load no owner exceeds its limit, newcomers get a place, and all places are released",
        arguments: 1...20
    )
    func random(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let capacity = Int.random(in: 1...40, using: &random)
        let limit = Bool.random(using: &random) ? Int.random(in: 1...10, using: &random) : .max
        var slots = FairSlots<Int>(capacity: capacity, capacityPerOwner: limit)
        var held: [Int: Int] = [:]
        for _ in 0..<5000 {
            // Low numbers are more frequent: some owners hold much.
            let owner = Int.random(in: 0...Int.random(in: 0...60, using: &random), using: &random)
            let (mine, all) = (held[owner] ?? 0, held.values.reduce(0, +))
            if Int.random(in: 0..<5, using: &random) > 1 {
                let isTaken = slots.take(owner)
                if isTaken {
                    #expect(all < capacity && mine < limit && (mine == 0 || all < capacity / 2))
                    held[owner] = mine + 1
                } else if mine == 0 {
                    // Rejected only when all slots are taken, and at least half of them by owners that each hold some.
                    #expect(all == capacity && held.count > capacity / 2)
                } else {
                    #expect(mine == limit || all >= capacity / 2)
                }
            } else if mine > 0 {
                let number = Int.random(in: 1...mine, using: &random)
                slots.release(owner, number)
                held[owner] = mine == number ? nil : mine - number
            }
            #expect(slots.count == held.values.reduce(0, +) && slots[owner] == held[owner] ?? 0)
        }
        for (owner, number) in held { slots.release(owner, number) }
        #expect(slots.count == 0 && held.keys.allSatisfy { slots[$0] == 0 })
        #expect(Mirror(reflecting: slots).children.contains { ($0.value as? [Int: Int])?.isEmpty == true })
    }
}
