import DequeModule
package import GatewayModel
package import GatewayStorage

/// Who has a messaging window open, and what has to be released because one closed: a plain value.
///
/// A window that closed goes on holding until a turn takes its release; so no turn pushes what comes after it before what
/// was held, and a release that waits for the store is one entry for each consumer, however often its windows come and go.
package struct Presence: Sendable {
    /// The windows that the next turn holds for.
    package private(set) var windows = OpenWindows()
    /// Whose held rows are to be looked through, in the order in which they closed.
    private var waiting: Deque<ConsumerName> = []
    private(set) var isWaiting: Set<ConsumerName> = []

    /// Nobody has one.
    package init() {}

    /// Whether a turn has something to release.
    package var hasReleases: Bool { !waiting.isEmpty }

    /// A window opened.
    ///
    /// - Parameters:
    ///   - name: Whose it is.
    ///   - device: The device that it is open on, if it is named.
    package mutating func open(_ name: ConsumerName, device: DeviceID?) { windows.open(name, device: device) }

    /// A window closed.
    ///
    /// - Parameters:
    ///   - name: Whose it was.
    ///   - device: The device that it was opened with.
    package mutating func close(_ name: ConsumerName, device: DeviceID?) {
        windows.closing(name, device: device)
        add(name)
    }

    /// Brands' settings of presence are these now.
    ///
    /// - Parameters:
    ///   - perDevice: Brands whose windows hold for their own device only.
    ///   - pushing: Brands whose windows hold nothing.
    package mutating func set(perDevice: Set<BrandID>, pushing: Set<BrandID>) {
        for name in windows.set(perDevice: perDevice, pushing: pushing) { add(name) }
    }

    /// Takes what the next turn releases; its ``windows`` are those after the call.
    ///
    /// - Parameter limit: At most this many consumers.
    /// - Returns: The consumers, those that closed first.
    package mutating func takeReleases(atMost limit: Int) -> [ConsumerName] {
        guard !waiting.isEmpty else { return [] }
        let taken = Array(waiting.prefix(limit))
        waiting.removeFirst(taken.count)
        for name in taken {
            isWaiting.remove(name)
            windows.closed(name)
        }
        return taken
    }

    /// Puts back what a turn that failed would have released.
    ///
    /// - Parameter names: The consumers of the turn.
    package mutating func putBack(_ names: [ConsumerName]) {
        for name in names.reversed() where isWaiting.insert(name).inserted { waiting.prepend(name) }
    }

    private mutating func add(_ name: ConsumerName) {
        if isWaiting.insert(name).inserted { waiting.append(name) }
    }
}
