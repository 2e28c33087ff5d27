import DequeModule

/// A queue of elements by their owners, in which an owner with many elements never starves one with few.
///
/// Owners take turns by deficit round robin (Shreedhar and Varghese, 1995): each has a credit that grows with each
/// round, and removes elements while its credit covers their weights. Room is shared by dynamic thresholds (Choudhury
/// and Hahne, 1998): an owner may hold at most ``share`` times the room that is still free, so that a single owner can
/// use most of the room and there is always some for a new one. A value type without a clock.
package struct FairQueue<Owner: Hashable, Element> {
    /// The limits of all waiting elements, by their size and by their bytes.
    ///
    /// Their weight, the amount of work, does not count here.
    package struct Limits {
        /// The sum of the elements' sizes.
        package var size: Int
        /// The sum of the elements' bytes.
        package var bytes: Int

        /// Creates limits.
        package init(size: Int, bytes: Int) { (self.size, self.bytes) = (size, bytes) }
    }

    fileprivate struct Line {
        var elements: Deque<(element: Element, size: Int, weight: Int, bytes: Int)> = []
        var size = 0
        var bytes = 0
        var credit = 0
    }

    /// A single owner may hold four fifths of the room.
    static var share: Int { 4 }
    /// The credit that each round adds for an owner.
    static var quantum: Int { 64 }

    /// The sum of the sizes of the waiting elements.
    package private(set) var size = 0
    /// The sum of the bytes of the waiting elements.
    package private(set) var bytes = 0
    private let limits: Limits
    private var lines: [Owner: Line] = [:]
    /// The owners with waiting elements, the next one first.
    private var round: Deque<Owner> = []

    /// Creates an empty queue.
    package init(limits: Limits) { self.limits = limits }

    /// Whether no element waits.
    package var isEmpty: Bool { round.isEmpty }

    /// Returns whether an owner may add this much; an empty queue admits any size, or a large element could never be
    /// added.
    package func admits(size: Int, bytes: Int, of owner: Owner) -> Bool {
        if isEmpty { return true }
        let line = lines[owner]
        let (held, heldBytes) = (line?.size ?? 0, line?.bytes ?? 0)
        return self.size + size <= limits.size && self.bytes + bytes <= limits.bytes
            && held + size <= Self.share * (limits.size - self.size)
            && heldBytes + bytes <= Self.share * (limits.bytes - self.bytes)
    }

    /// Adds an element that takes `size` of the room; `weight` is the amount of its work, at least 1, by default its
    /// size.
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

    /// Removes elements in order whose weights add up to at most `limit`, at least one if there is any.
    package mutating func next(atMost limit: Int) -> [Element] {
        var taken: [Element] = []
        var room = limit
        while let owner = round.first, var line = lines.removeValue(forKey: owner) {
            var isFull = false
            // A single owner competes with nobody.
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
                // Credit is not saved up by an owner without elements.
                round.removeFirst()
            } else {
                // An owner that only found the turn full keeps its credit for the next.
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

    /// Removes all elements, owner by owner.
    mutating func removeAll() -> [Element] {
        defer { self = FairQueue(limits: limits) }
        return round.flatMap { lines[$0]?.elements.map(\.element) ?? [] }
    }
}

extension FairQueue: Sendable where Owner: Sendable, Element: Sendable {}
extension FairQueue.Line: Sendable where Owner: Sendable, Element: Sendable {}
