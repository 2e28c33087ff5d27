import DequeModule
package import GatewayModel
package import GatewayStorage

/// The open messaging windows, and the consumers whose held rows must be released because one closed: a value type.
///
/// A closed window still holds until a turn takes its release: so no turn pushes later rows before the held ones. A
/// release that waits for the store is one entry for each consumer, however often its windows open and close.
package struct Presence: Sendable {
    /// The windows for which the next turn holds rows.
    package private(set) var windows = OpenWindows()
    /// The consumers whose held rows must be released, in the order in which their windows closed.
    private var waiting: Deque<ConsumerName> = []
    private(set) var isWaiting: Set<ConsumerName> = []

    /// Creates a state without open windows.
    package init() {}

    /// Whether a turn has something to release.
    package var hasReleases: Bool { !waiting.isEmpty }

    /// Adds a window that opened, with its device if it is named.
    package mutating func open(_ name: ConsumerName, device: DeviceID?) { windows.open(name, device: device) }

    /// Removes a window that closed, with the device that it was opened with.
    package mutating func close(_ name: ConsumerName, device: DeviceID?) {
        windows.closing(name, device: device)
        add(name)
    }

    /// Replaces the brands' presence settings: windows of `perDevice` hold for their own device only, those of
    /// `pushing` hold nothing.
    package mutating func set(perDevice: Set<BrandID>, pushing: Set<BrandID>) {
        for name in windows.set(perDevice: perDevice, pushing: pushing) { add(name) }
    }

    /// Takes the releases of the next turn, those first whose windows closed first; its ``windows`` are those after the
    /// call.
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

    /// Puts back the releases of a turn that failed.
    package mutating func putBack(_ names: [ConsumerName]) {
        for name in names.reversed() where isWaiting.insert(name).inserted { waiting.prepend(name) }
    }

    private mutating func add(_ name: ConsumerName) {
        if isWaiting.insert(name).inserted { waiting.append(name) }
    }
}
