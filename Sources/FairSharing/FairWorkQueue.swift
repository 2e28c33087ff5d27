internal import DequeModule

/// Work that waits for its turn and runs, a few pieces at a time: owners take turns, one piece each.
///
/// One owner alone may fill the line. When it is full, the owner that holds most of it is displaced: its newest waiting
/// piece leaves for a piece of an owner that holds less. Of the running pieces, each owner has its share as in
/// ``FairSlots``. A plain value; an owner without a piece costs nothing.
package struct FairWorkQueue<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The result of an attempt to enter the line.
    package enum Entry: Sendable {
        /// It waits.
        case entered
        /// It waits in the place of this one, which has left the queue and whose owner must be notified.
        case displaced(Element)
        /// There is no room.
        case full
    }

    /// The number of pieces that wait or run.
    package private(set) var count = 0

    private let capacity: Int
    private var running: FairSlots<Owner>
    private var waiting: [Owner: Deque<Element>] = [:]
    /// The owners with waiting pieces, the next one first.
    private var round: Deque<Owner> = []

    /// Creates an empty line.
    ///
    /// - Parameters:
    ///   - runningAtOnce: The number of pieces that may run at the same time, 1 or more.
    ///   - capacity: The number that may wait and run in all.
    package init(runningAtOnce: Int, capacity: Int) {
        self.capacity = capacity
        running = FairSlots(capacity: runningAtOnce)
    }

    /// The number of an owner's pieces that wait or run.
    ///
    /// - Parameter owner: The owner.
    package subscript(owner: Owner) -> Int { running[owner] + (waiting[owner]?.count ?? 0) }

    /// Puts a piece behind those of its owner.
    ///
    /// - Parameters:
    ///   - element: The piece.
    ///   - owner: Its owner.
    /// - Returns: Whether it entered, and the piece that it displaced.
    package mutating func enter(_ element: Element, of owner: Owner) -> Entry {
        guard count < capacity else {
            guard let displaced = makeRoom(for: owner) else { return .full }
            append(element, of: owner)
            return .displaced(displaced)
        }
        append(element, of: owner)
        return .entered
    }

    /// Begins the next piece if one more may run; call it after each ``enter(_:of:)`` and ``ended(_:)``, until nil.
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
                running.release(owner)
                continue
            }
            if waiting[owner]?.isEmpty == true { waiting[owner] = nil } else { round.append(owner) }
            return (owner, element)
        }
        return nil
    }

    /// Records that a running piece has ended.
    ///
    /// - Parameter owner: Its owner.
    package mutating func ended(_ owner: Owner) {
        running.release(owner)
        count -= 1
    }

    private mutating func append(_ element: Element, of owner: Owner) {
        if waiting[owner] == nil { round.append(owner) }
        waiting[owner, default: []].append(element)
        count += 1
    }

    /// Removes the newest piece of the owner that holds most, if it holds at least two more than this one.
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
