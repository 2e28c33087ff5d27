import DequeModule

/// What waits for its turn, by whom it belongs to, so that one who sends much never starves one who sends little.
///
/// Owners take turns by deficit round robin (Shreedhar and Varghese, 1995): each has a credit that grows with each round,
/// and takes elements while its credit covers their weights. Room is shared by dynamic thresholds (Choudhury and Hahne, 1998): an
/// owner may hold at most ``share`` times the room that is still free, so that one alone uses most of the room and there
/// is always some for a newcomer. A plain value without a clock.
package struct FairQueue<Owner: Hashable, Element> {
    /// How much may wait in all: elements count by their size, and by their bytes.
    ///
    /// Their weight, how much work they are, does not count here.
    package struct Limits {
        /// The sum of the elements' sizes.
        package var size: Int
        /// The sum of the elements' bytes.
        package var bytes: Int

        /// Takes the bounds.
        ///
        /// - Parameters:
        ///   - size: The sum of the elements' sizes.
        ///   - bytes: The sum of the elements' bytes.
        package init(size: Int, bytes: Int) { (self.size, self.bytes) = (size, bytes) }
    }

    fileprivate struct Line {
        var elements: Deque<(element: Element, size: Int, weight: Int, bytes: Int)> = []
        var size = 0
        var bytes = 0
        var credit = 0
    }

    /// One owner alone may hold four fifths of the room.
    static var share: Int { 4 }
    /// What each round adds to an owner's credit.
    static var quantum: Int { 64 }

    /// The sum of the sizes of what waits.
    package private(set) var size = 0
    /// The sum of the bytes of what waits.
    package private(set) var bytes = 0
    private let limits: Limits
    private var lines: [Owner: Line] = [:]
    /// The owners that have something waiting, the next one first.
    private var round: Deque<Owner> = []

    /// Nothing waits.
    ///
    /// - Parameter limits: How much may.
    package init(limits: Limits) { self.limits = limits }

    /// Whether nothing waits.
    package var isEmpty: Bool { round.isEmpty }

    /// Whether an owner may add this much; what an empty queue is asked is always taken, or it never could be.
    ///
    /// - Parameters:
    ///   - size: The size of what is added.
    ///   - bytes: Its bytes.
    ///   - owner: Whose it is.
    /// - Returns: Whether it may.
    package func admits(size: Int, bytes: Int, of owner: Owner) -> Bool {
        if isEmpty { return true }
        let line = lines[owner]
        let (held, heldBytes) = (line?.size ?? 0, line?.bytes ?? 0)
        return self.size + size <= limits.size && self.bytes + bytes <= limits.bytes
            && held + size <= Self.share * (limits.size - self.size)
            && heldBytes + bytes <= Self.share * (limits.bytes - self.bytes)
    }

    /// Adds an element; `weight` is how much work it is, its size unless told.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - size: What it takes of the room.
    ///   - weight: How much work it is; at least 1.
    ///   - bytes: Its bytes.
    ///   - owner: Whose it is.
    package mutating func append(_ element: Element, size: Int, weight: Int? = nil, bytes: Int, of owner: Owner) {
        var line = lines.removeValue(forKey: owner) ?? Line()
        if line.elements.isEmpty { round.append(owner) }
        line.elements.append((element, size, weight ?? size, bytes))
        line.size += size
        line.bytes += bytes
        lines[owner] = line
        self.size += size
        self.bytes += bytes
    }

    /// Takes elements whose weights come to at most `limit`, at least one if there is any.
    ///
    /// - Parameter limit: The sum of their weights.
    /// - Returns: The elements, in the order in which they leave.
    package mutating func next(atMost limit: Int) -> [Element] {
        var taken: [Element] = []
        var room = limit
        while let owner = round.first, var line = lines.removeValue(forKey: owner) {
            var isFull = false
            // Alone, there is nobody to be fair to.
            let isAlone = round.count == 1
            while let first = line.elements.first, isAlone || first.weight <= line.credit {
                if first.weight > room, !taken.isEmpty {
                    isFull = true
                    break
                }
                line.elements.removeFirst()
                taken.append(first.element)
                room -= first.weight
                line.size -= first.size
                line.bytes -= first.bytes
                line.credit = max(line.credit - first.weight, 0)
                size -= first.size
                bytes -= first.bytes
            }
            if line.elements.isEmpty {
                // Credit is not saved up while there is nothing to send.
                round.removeFirst()
            } else {
                // One that only found the turn full goes on in the next with the credit that it has.
                if !isFull {
                    line.credit += Self.quantum
                    round.append(round.removeFirst())
                }
                lines[owner] = line
            }
            if isFull || room <= 0 { break }
        }
        return taken
    }

    /// Takes everything, owner by owner.
    mutating func removeAll() -> [Element] {
        defer { self = FairQueue(limits: limits) }
        return round.flatMap { lines[$0]?.elements.map(\.element) ?? [] }
    }
}

extension FairQueue: Sendable where Owner: Sendable, Element: Sendable {}
extension FairQueue.Line: Sendable where Owner: Sendable, Element: Sendable {}
