/// The badges of each device in order of arrival: they may only fall after a read.
struct Badges {
    /// The most seconds that a push rendered before a read may arrive after the read's response.
    private static let slackSeconds = 5.0

    /// Falls without a read.
    private(set) var decreases: [String] = []
    /// Falls that a read explains.
    private(set) var explained = 0

    init(_ evidence: Evidence) {
        var last: [Device: PushDrain.Push] = [:]
        var nextRead: [Device: Int] = [:]
        for push in evidence.pushes {
            guard let badge = push.badge, let device = evidence.record.devices[push.token] else { continue }
            defer { last[device] = push }
            guard let before = last[device], badge < before.badge ?? 0 else { continue }
            // Each read explains one fall at a device: after it the badge may only rise until the next read.
            let reads = evidence.record.reads[device.consumer] ?? []
            var index = nextRead[device] ?? 0
            while index < reads.count, reads[index].end < before.time - Self.slackSeconds { index += 1 }
            if index < reads.count, reads[index].begin <= push.time {
                explained += 1
                nextRead[device] = index + 1
            } else {
                nextRead[device] = index
                decreases.append(
                    "\(device.id): \(before.badge ?? 0) (push \(before.number)), then \(badge) (push \(push.number))"
                )
            }
        }
    }
}
