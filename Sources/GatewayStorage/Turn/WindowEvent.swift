package import GatewayModel

/// A consumer's key for windows: its brand and its own id, not one that leads to it by a merge.
package struct ConsumerName: Hashable, Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID

    /// Creates a name.
    package init(brand: BrandID, consumer: ConsumerID) {
        self.brand = brand
        self.consumer = consumer
    }
}

/// The id of one open window of this process; never reused.
package struct WindowID: Hashable, Sendable {
    /// The number.
    package let rawValue: UInt64

    /// Creates an id.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// A change of a commit that a consumer's open windows receive (MessagingWindow page).
package struct WindowEvent: Sendable {
    /// The kind of the change.
    package enum Kind: Sendable {
        /// A new message, from the back-end or from another of the consumer's windows.
        case message(Message)
        /// The consumer, or the back-end for it, read a conversation up to a sequence.
        case read(ConversationID, upToSequence: Int64, unread: Int64)
        /// A conversation was resolved.
        case resolved(ConversationID, byConsumer: Bool)
        /// Somebody types in a conversation: the agent, or the consumer in another window. Not stored.
        case typing(ConversationID, byConsumer: Bool)
    }

    /// The consumer of the windows.
    package var consumer: ConsumerName
    /// The change.
    package var kind: Kind
    /// The window that caused it, which receives a response instead.
    package var origin: WindowID?

    /// Creates a change, by default one that no window caused.
    package init(consumer: ConsumerName, kind: Kind, origin: WindowID? = nil) {
        self.consumer = consumer
        self.kind = kind
        self.origin = origin
    }
}

/// The consumers with an open messaging window, for whom a turn holds back pushes (Architecture page, 7).
///
/// A value, so that a turn keeps the state with which it began; its owner synchronizes opening and closing.
package struct OpenWindows: Sendable {
    /// The pushes that a brand's windows hold back.
    private enum Reach: Int, Sendable {
        case nothing, ownDevice, allDevices
    }

    private struct OfConsumer: Sendable {
        var reach: Reach
        var count = 0
        /// The number of windows of each device; those without a device are only counted.
        var devices: [DeviceID: Int] = [:]
    }

    /// Sharded by a part of the name's hash, so that a window that opens while a turn keeps the state copies one shard
    /// only.
    private var parts: [[ConsumerName: OfConsumer]] = Array(repeating: [:], count: 64)
    private var count = 0
    /// Brands whose windows do not hold back the pushes to all of the consumer's devices.
    private var reaches: [BrandID: Reach] = [:]

    /// Creates the state without any window.
    package init() {}

    /// Whether no window is open and none is ``closing(_:device:)``.
    package var isEmpty: Bool { count == 0 }

    /// Whether a consumer has a window, on any device.
    package func contains(_ name: ConsumerName) -> Bool { count > 0 && parts[part(of: name)][name] != nil }

    /// Whether agents' messages to a device are held for a window.
    package func holds(_ name: ConsumerName, device: DeviceID) -> Bool {
        guard count > 0, let open = parts[part(of: name)][name] else { return false }
        return switch open.reach {
        case .nothing: false
        case .ownDevice: open.devices[device] != nil
        case .allDevices: true
        }
    }

    /// Replaces the brands' presence settings: windows of brands in `perDevice` hold back only the pushes to their own
    /// device, not to all of the consumer's; those in `pushing` hold back nothing.
    ///
    /// Pushes that are held beyond the new settings stay held until ``closed(_:)``, as for windows that are closing.
    ///
    /// - Returns: The consumers with pushes held beyond the new settings, in the order of their ids.
    package mutating func set(perDevice: Set<BrandID>, pushing: Set<BrandID>) -> [ConsumerName] {
        reaches = [:]
        for brand in perDevice { reaches[brand] = .ownDevice }
        for brand in pushing { reaches[brand] = .nothing }
        var less: [ConsumerName] = []
        for part in parts.indices {
            for (name, open) in parts[part] {
                let now = reach(of: name.brand)
                if now.rawValue > open.reach.rawValue { parts[part][name]?.reach = now }
                if now.rawValue < open.reach.rawValue { less.append(name) }
            }
        }
        return less.sorted {
            ($0.brand.rawValue, $0.consumer.rawValue) < ($1.brand.rawValue, $1.consumer.rawValue)
        }
    }

    /// Counts one more window, with its device if it is named.
    package mutating func open(_ name: ConsumerName, device: DeviceID?) {
        let part = part(of: name)
        if parts[part][name] == nil { count += 1 }
        let reach = reach(of: name.brand)
        parts[part][name, default: OfConsumer(reach: reach)].count += 1
        if let device { parts[part][name]?.devices[device, default: 0] += 1 }
    }

    /// Counts one window less, with the device with which it was opened; one that was not opened changes nothing.
    package mutating func close(_ name: ConsumerName, device: DeviceID?) {
        closing(name, device: device)
        closed(name)
    }

    /// Counts one window less, but holds for it until ``closed(_:)``: the turn that no longer holds is also the one
    /// that releases, so that no newer row comes between.
    package mutating func closing(_ name: ConsumerName, device: DeviceID?) {
        let part = part(of: name)
        guard let open = parts[part][name], open.count > 0 else { return }
        parts[part][name]?.count -= 1
        if let device, let count = open.devices[device], count > 0 { parts[part][name]?.devices[device] = count - 1 }
    }

    /// Stops holding for the windows of a consumer that were closing and have not been opened again; for the others it
    /// holds no more than their brand's settings require.
    package mutating func closed(_ name: ConsumerName) {
        let part = part(of: name)
        guard let open = parts[part][name] else { return }
        if open.count == 0 {
            parts[part][name] = nil
            count -= 1
            return
        }
        let reach = reach(of: name.brand)
        parts[part][name]?.reach = reach
        if open.devices.contains(where: { $0.value == 0 }) {
            parts[part][name]?.devices = open.devices.filter { $0.value > 0 }
        }
    }

    private func reach(of brand: BrandID) -> Reach { reaches[brand] ?? .allDevices }

    private func part(of name: ConsumerName) -> Int { Int(UInt(bitPattern: name.hashValue) % 64) }
}
