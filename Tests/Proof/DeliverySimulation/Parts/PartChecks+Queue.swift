import Delivery

extension PartChecks {
    /// A model of the queue: a list of its elements in order of arrival and the owners' credits; sums are computed at each call.
    private struct QueueModel {
        struct Item {
            var number: Int
            var owner: Int
            var size: Int
            var weight: Int
            var bytes: Int
        }

        let size: Int
        let bytes: Int
        var items: [Item] = []
        /// The owners in the order of their turns.
        var turns: [Int] = []
        var credits: [Int: Int] = [:]

        func admits(_ new: Item) -> Bool {
            let own = items.filter { $0.owner == new.owner }
            let (freeSize, freeBytes) = (size - sum(items, \.size), bytes - sum(items, \.bytes))
            let fits = freeSize - new.size >= 0 && freeBytes - new.bytes >= 0
            let isFair = sum(own, \.size) + new.size <= 4 * freeSize && sum(own, \.bytes) + new.bytes <= 4 * freeBytes
            return items.isEmpty || fits && isFair
        }

        mutating func append(_ item: Item) {
            if !turns.contains(item.owner) { turns.append(item.owner) }
            items.append(item)
        }

        mutating func next(_ limit: Int) -> [Int] {
            var (taken, weight): ([Int], Int) = ([], 0)
            while let owner = turns.first, weight < limit || taken.isEmpty {
                let isAlone = turns.count == 1
                while let place = items.firstIndex(where: { $0.owner == owner }),
                    isAlone || items[place].weight <= credits[owner, default: 0]
                {
                    if !taken.isEmpty, weight + items[place].weight > limit { return taken }
                    let item = items.remove(at: place)
                    taken.append(item.number)
                    weight += item.weight
                    credits[owner] = credits[owner, default: 0] - item.weight
                    if credits[owner, default: 0] < 0 { credits[owner] = 0 }
                }
                turns.removeFirst()
                if items.contains(where: { $0.owner == owner }) {
                    credits[owner, default: 0] += 64
                    turns.append(owner)
                } else {
                    credits[owner] = nil
                }
            }
            return taken
        }

        func sum(_ items: [Item], _ value: KeyPath<Item, Int>) -> Int { items.reduce(0) { $0 + $1[keyPath: value] } }
    }

    mutating func checkQueue() throws(Violation) {
        let (size, bytes) = (random.between(1, 40), random.between(1, 40))
        var queue = FairQueue<Int, Int>(limits: .init(size: size, bytes: bytes))
        var model = QueueModel(size: size, bytes: bytes)
        for number in 1...80 {
            let item = QueueModel.Item(
                number: number,
                owner: random.below(4),
                size: random.between(1, 6),
                weight: [1, 2, 32, 64, 65, 200][random.below(6)],
                bytes: random.between(1, 6)
            )
            let isAdmitted = queue.admits(size: item.size, bytes: item.bytes, of: item.owner)
            try agree("whether the queue admits", isAdmitted, model.admits(item))
            if isAdmitted {
                let seen = isDistorted ? item.bytes + 1 : item.bytes
                queue.append(number, size: item.size, weight: item.weight, bytes: seen, of: item.owner)
                model.append(item)
            }
            if random.chance(30) {
                let limit = [1, 64, 65, 130, 400][random.below(5)]
                try agree("what leaves the queue", queue.next(atMost: limit), model.next(limit))
            }
            try agree("the queue's size", queue.size, model.sum(model.items, \.size))
            try agree("the queue's bytes", queue.bytes, model.sum(model.items, \.bytes))
            try agree("whether the queue is empty", queue.isEmpty, model.items.isEmpty)
        }
    }
}
