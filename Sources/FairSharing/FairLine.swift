internal import DequeModule

/// Work that waits for its turn and runs, a few pieces at a time: owners take turns, one piece each.
///
/// One owner alone may fill the line. When it is full, who holds most of it gives way: the newest piece that waits of that
/// owner leaves for one of an owner that holds less. Of the pieces that run, each owner has its share as in ``FairPlaces``.
/// A plain value; an owner without a piece costs nothing.
package struct FairLine<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    /// What became of a piece that wanted to enter.
    package enum Entry: Sendable {
        /// It waits.
        case entered
        /// It waits in the place of this one, which has left the line and must be told so.
        case displaced(Element)
        /// There is no room.
        case full
    }

    /// How many pieces wait or run.
    package private(set) var count = 0

    private let capacity: Int
    private var running: FairPlaces<Owner>
    private var waiting: [Owner: Deque<Element>] = [:]
    /// The owners of which something waits, the next one first.
    private var round: Deque<Owner> = []

    /// Makes an empty line.
    ///
    /// - Parameters:
    ///   - runningAtOnce: How many pieces may run at the same time, 1 or more.
    ///   - capacity: How many may wait and run in all.
    package init(runningAtOnce: Int, capacity: Int) {
        self.capacity = capacity
        running = FairPlaces(capacity: runningAtOnce)
    }

    /// The pieces of an owner that wait or run.
    ///
    /// - Parameter owner: The owner.
    package subscript(owner: Owner) -> Int { running[owner] + (waiting[owner]?.count ?? 0) }

    /// Puts a piece behind those of its owner.
    ///
    /// - Parameters:
    ///   - element: The piece.
    ///   - owner: Whose it is.
    /// - Returns: What became of it, and of another that gave way.
    package mutating func enter(_ element: Element, of owner: Owner) -> Entry {
        guard count < capacity else {
            guard let displaced = makeRoom(for: owner) else { return .full }
            append(element, of: owner)
            return .displaced(displaced)
        }
        append(element, of: owner)
        return .entered
    }

    /// Begins the next piece if one more may run; to be called after each ``enter(_:of:)`` and ``ended(_:)``, until nil.
    ///
    /// - Returns: The piece and its owner, for ``ended(_:)``; nil when nothing can begin.
    package mutating func next() -> (owner: Owner, element: Element)? {
        for _ in round.indices {
            guard let owner = round.popFirst() else { return nil }
            guard running.take(owner) else {
                round.append(owner)
                continue
            }
            guard let element = waiting[owner]?.popFirst() else {
                running.giveBack(owner)
                continue
            }
            if waiting[owner]?.isEmpty == true { waiting[owner] = nil } else { round.append(owner) }
            return (owner, element)
        }
        return nil
    }

    /// Notes that a piece that ran has ended.
    ///
    /// - Parameter owner: Whose it was.
    package mutating func ended(_ owner: Owner) {
        running.giveBack(owner)
        count -= 1
    }

    private mutating func append(_ element: Element, of owner: Owner) {
        if waiting[owner] == nil { round.append(owner) }
        waiting[owner, default: []].append(element)
        count += 1
    }

    /// Takes the newest piece out of the line of the owner that holds most, if that stays ahead of this one.
    private mutating func makeRoom(for owner: Owner) -> Element? {
        let most = waiting.keys.map { ($0, self[$0]) }.max { $0.1 < $1.1 }
        guard let (other, held) = most, held > self[owner] + 1, let newest = waiting[other]?.popLast() else {
            return nil
        }
        if waiting[other]?.isEmpty == true {
            waiting[other] = nil
            round.removeAll { $0 == other }
        }
        count -= 1
        return newest
    }
}
