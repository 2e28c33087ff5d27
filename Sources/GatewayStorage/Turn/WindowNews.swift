package import GatewayModel

/// A consumer as windows know it: by its brand and the id that leads nowhere else.
package struct ConsumerName: Hashable, Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID

    /// Names a consumer.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    package init(brand: BrandID, consumer: ConsumerID) {
        self.brand = brand
        self.consumer = consumer
    }
}

/// One open window of this process; never given to another.
package struct WindowID: Hashable, Sendable {
    /// The number.
    package let rawValue: UInt64

    /// Names a window.
    ///
    /// - Parameter rawValue: The number.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// What a commit did that a consumer's open windows are told of (MessagingWindow page).
package struct WindowNews: Sendable {
    /// What happened.
    package enum Kind: Sendable {
        /// A message came, from the back-end or from another of the consumer's windows.
        case message(Message)
        /// The consumer, or the back-end for it, read a conversation up to a sequence.
        case read(ConversationID, upToSequence: Int64, unread: Int64)
        /// A conversation was resolved.
        case resolved(ConversationID, byConsumer: Bool)
        /// Somebody types in a conversation: the agent, or the consumer in another window. Stored nowhere.
        case typing(ConversationID, byConsumer: Bool)
    }

    /// Whose windows.
    package var consumer: ConsumerName
    /// What happened.
    package var kind: Kind
    /// The window that did it, which learns of it by an answer and not by news.
    package var origin: WindowID?

    /// Takes news that no window did.
    ///
    /// - Parameters:
    ///   - consumer: Whose windows.
    ///   - kind: What happened.
    package init(consumer: ConsumerName, kind: Kind) {
        self.consumer = consumer
        self.kind = kind
    }
}

/// Which consumers have a messaging window open: what a turn holds back from pushes (Architecture page, 7).
///
/// A value, so that a turn keeps the state that it began with; whoever opens and closes windows guards it.
package struct OpenWindows: Sendable {
    /// What windows hold back.
    private enum Reach: Int, Sendable {
        case nothing, ownDevice, allDevices
    }

    private struct OfConsumer: Sendable {
        var reach: Reach
        var count = 0
        /// How many windows name each device; those without a device are only counted.
        var devices: [DeviceID: Int] = [:]
    }

    /// By a part of the name's hash, so that a window that opens while a turn keeps the state copies one part and not all.
    private var parts: [[ConsumerName: OfConsumer]] = Array(repeating: [:], count: 64)
    private var count = 0
    /// Brands whose windows do not hold back what is for all of the consumer's devices.
    private var reaches: [BrandID: Reach] = [:]

    /// Nobody has one.
    package init() {}

    /// Whether nobody has one, nor one that is ``closing(_:device:)``.
    package var isEmpty: Bool { count == 0 }

    /// Whether a consumer has one, on whatever device.
    ///
    /// - Parameter name: The consumer.
    /// - Returns: Whether news are for anybody.
    package func contains(_ name: ConsumerName) -> Bool { count > 0 && parts[part(of: name)][name] != nil }

    /// Whether agents' messages to a device are held for a window.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device of a registration.
    /// - Returns: Whether there is such a window.
    package func holds(_ name: ConsumerName, device: DeviceID) -> Bool {
        guard count > 0, let open = parts[part(of: name)][name] else { return false }
        return switch open.reach {
        case .nothing: false
        case .ownDevice: open.devices[device] != nil
        case .allDevices: true
        }
    }

    /// Brands' settings of presence are these now.
    ///
    /// Who is held for by more than they say is held for as before until ``closed(_:)``, as for windows that are closing.
    ///
    /// - Parameters:
    ///   - perDevice: Brands whose windows hold back the pushes of their own device only, and not of all the consumer's.
    ///   - pushing: Brands whose windows hold back nothing.
    /// - Returns: Who is held for by more, in the order of their ids.
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

    /// Counts one more.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device that it is open on, if it is named.
    package mutating func open(_ name: ConsumerName, device: DeviceID?) {
        let part = part(of: name)
        if parts[part][name] == nil { count += 1 }
        let reach = reach(of: name.brand)
        parts[part][name, default: OfConsumer(reach: reach)].count += 1
        if let device { parts[part][name]?.devices[device, default: 0] += 1 }
    }

    /// Counts one less; one that was not opened changes nothing.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device that it was opened with.
    package mutating func close(_ name: ConsumerName, device: DeviceID?) {
        closing(name, device: device)
        closed(name)
    }

    /// Counts one less, but goes on holding for it until ``closed(_:)``: the turn that no longer holds is the one that
    /// releases, so that nothing younger comes between.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device that it was opened with.
    package mutating func closing(_ name: ConsumerName, device: DeviceID?) {
        let part = part(of: name)
        guard let open = parts[part][name], open.count > 0 else { return }
        parts[part][name]?.count -= 1
        if let device, let count = open.devices[device], count > 0 { parts[part][name]?.devices[device] = count - 1 }
    }

    /// Holds no longer for the windows of a consumer that were closing and have not been opened again, and for the others no
    /// more than their brand's settings say.
    ///
    /// - Parameter name: The consumer.
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
