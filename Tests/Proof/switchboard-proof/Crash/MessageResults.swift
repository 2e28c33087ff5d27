/// The result of each message at each device that it must reach.
struct MessageResults {
    /// The number that reached the device.
    private(set) var delivered = 0
    /// The number withdrawn for a reason that the callers' record confirms, by reason.
    private(set) var withdrawn: [String: Int] = [:]
    /// Those with neither.
    private(set) var lost: [String] = []

    init(_ evidence: Evidence, _ arrivals: Arrivals) {
        let record = evidence.record
        let marks = record.reads.mapValues { $0.map(\.upTo).max() ?? 0 }
        let loggedOut = Set(record.goneTokens.keys.compactMap { record.devices[$0]?.id })
        var newest: [String: Int] = [:]
        for message in record.messages {
            guard let key = message.collapseKey else { continue }
            let name = "\(message.consumer) \(key)"
            newest[name] = max(newest[name] ?? 0, message.sequence)
        }
        for message in record.messages {
            for device in message.devices {
                let pair = UnfinishedRows.Row(message: message.id, device: device.id)
                if arrivals.times[pair] != nil {
                    delivered += 1
                    continue
                }
                let reason = evidence.log[pair].flatMap { $0.state == "cancelled" ? $0.suppressedBy : nil }
                let isConfirmed =
                    switch reason {
                    case "read": message.sequence <= marks[message.consumer] ?? 0
                    case "unregistered": loggedOut.contains(device.id)
                    case "collapsed":
                        message.sequence < newest["\(message.consumer) \(message.collapseKey ?? "")"] ?? 0
                    default: false
                    }
                if isConfirmed, let reason {
                    withdrawn[reason, default: 0] += 1
                } else {
                    let log = evidence.log[pair].map { "\($0.state) \($0.suppressedBy ?? "")" } ?? "not there"
                    lost.append("\(message.event) (\(message.id)) to \(device.id): in the delivery log: \(log)")
                }
            }
        }
    }
}
