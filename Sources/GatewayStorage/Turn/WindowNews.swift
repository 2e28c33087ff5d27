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

/// What a commit did that a consumer's open windows are told of (`http-api.md` section 7).
package struct WindowNews: Sendable {
    /// What happened.
    package enum Kind: Sendable {
        /// A message came, from the back-end or from another of the consumer's windows.
        case message(Message)
        /// The consumer, or the back-end for it, read a conversation up to a sequence.
        case read(ConversationID, upToSequence: Int64, unread: Int64)
        /// A conversation was resolved.
        case resolved(ConversationID, byConsumer: Bool)
    }

    /// Whose windows.
    package var consumer: ConsumerName
    /// What happened.
    package var kind: Kind

    /// Takes news.
    ///
    /// - Parameters:
    ///   - consumer: Whose windows.
    ///   - kind: What happened.
    package init(consumer: ConsumerName, kind: Kind) {
        self.consumer = consumer
        self.kind = kind
    }
}

/// Which consumers have a messaging window open: what a turn holds back from pushes (architecture section 3.7).
///
/// A value, so that a turn keeps the state that it began with; whoever opens and closes windows guards it.
package struct OpenWindows: Sendable {
    private struct OfConsumer: Sendable {
        var count = 0
        /// How many windows name each device; those without a device are only counted.
        var devices: [DeviceID: Int] = [:]
    }

    private var consumers: [ConsumerName: OfConsumer] = [:]
    /// Brands whose windows hold back the pushes of their own device only, and not of all the consumer's.
    package var perDevice: Set<BrandID> = []

    /// Nobody has one.
    package init() {}

    /// Whether nobody has one.
    package var isEmpty: Bool { consumers.isEmpty }

    /// Whether a consumer has one, on whatever device.
    ///
    /// - Parameter name: The consumer.
    /// - Returns: Whether news are for anybody.
    package func contains(_ name: ConsumerName) -> Bool { consumers[name] != nil }

    /// Whether agents' messages to a device are held for a window.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device of a registration.
    /// - Returns: Whether there is such a window.
    package func holds(_ name: ConsumerName, device: DeviceID) -> Bool {
        guard let open = consumers[name] else { return false }
        return !perDevice.contains(name.brand) || open.devices[device] != nil
    }

    /// Counts one more.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device that it is open on, if it is named.
    package mutating func open(_ name: ConsumerName, device: DeviceID?) {
        consumers[name, default: OfConsumer()].count += 1
        if let device { consumers[name]?.devices[device, default: 0] += 1 }
    }

    /// Counts one less; one that was not opened changes nothing.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device that it was opened with.
    package mutating func close(_ name: ConsumerName, device: DeviceID?) {
        guard var open = consumers[name] else { return }
        open.count -= 1
        if let device, let count = open.devices[device] { open.devices[device] = count > 1 ? count - 1 : nil }
        consumers[name] = open.count > 0 ? open : nil
    }
}
