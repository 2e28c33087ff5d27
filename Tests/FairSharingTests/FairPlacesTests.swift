import FairSharing
import TestSupport
import Testing

@Suite("FairPlaces: places that owners share")
struct FairPlacesTests {
    @Test("one owner fills the first half, and each owner without a place still gets one of the other half")
    func newcomers() {
        var places = FairPlaces<String>(capacity: 8)
        while places.take("greedy") {}
        #expect(places["greedy"] == 4 && places.count == 4)
        for newcomer in ["a", "b", "c", "d"] {
            #expect(places.take(newcomer) == true)
            #expect(!places.take(newcomer) && !places.take("greedy"))
        }
        #expect(!places.take("e") && places.count == 8)
        places.giveBack("greedy")
        #expect(!places.take("greedy") && places.take("e"))
    }

    @Test("an owner gets no more than its own limit")
    func ownLimit() {
        var places = FairPlaces<String>(capacity: 64, capacityPerOwner: 16)
        for owner in ["a", "b"] {
            for _ in 0..<16 { #expect(places.take(owner) == true) }
            #expect(places.take(owner) == false)
        }
        // The half of which an owner may take more than one is full.
        #expect(places.take("c") && !places.take("c"))
        places.giveBack("a", 16)
        #expect(places["a"] == 0 && places.take("c"))
    }

    @Test("the last place is for an owner that holds none, also when there is only one place")
    func single() {
        var places = FairPlaces<Int>(capacity: 1)
        #expect(places.take(1) && !places.take(1) && !places.take(2))
        places.giveBack(1)
        #expect(places.take(2) == true)
    }

    @Test(
        "under random load no owner exceeds its limit, newcomers get a place, and all places are released",
        arguments: 1...20
    )
    func random(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let capacity = Int.random(in: 1...40, using: &random)
        let limit = Bool.random(using: &random) ? Int.random(in: 1...10, using: &random) : .max
        var places = FairPlaces<Int>(capacity: capacity, capacityPerOwner: limit)
        var held: [Int: Int] = [:]
        for _ in 0..<5000 {
            // Low numbers are more frequent: some owners hold much.
            let owner = Int.random(in: 0...Int.random(in: 0...60, using: &random), using: &random)
            let (mine, all) = (held[owner] ?? 0, held.values.reduce(0, +))
            if Int.random(in: 0..<5, using: &random) > 1 {
                let isTaken = places.take(owner)
                if isTaken {
                    #expect(all < capacity && mine < limit && (mine == 0 || all < capacity / 2))
                    held[owner] = mine + 1
                } else if mine == 0 {
                    // Rejected only when all places are taken, and at least half of them by owners that each hold some.
                    #expect(all == capacity && held.count > capacity / 2)
                } else {
                    #expect(mine == limit || all >= capacity / 2)
                }
            } else if mine > 0 {
                let number = Int.random(in: 1...mine, using: &random)
                places.giveBack(owner, number)
                held[owner] = mine == number ? nil : mine - number
            }
            #expect(places.count == held.values.reduce(0, +) && places[owner] == held[owner] ?? 0)
        }
        for (owner, number) in held { places.giveBack(owner, number) }
        #expect(places.count == 0 && held.keys.allSatisfy { places[$0] == 0 })
        #expect(Mirror(reflecting: places).children.contains { ($0.value as? [Int: Int])?.isEmpty == true })
    }
}
