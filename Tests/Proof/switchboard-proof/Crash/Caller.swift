import DeliverySimulation
import Foundation
import ProcessHarness

/// One connection of the back-end: posts, replays, reads, and logs devices in and out, one request at a time.
///
/// It alone acts for its consumers, so that its record has their exact unread counts.
struct Caller {
    /// A consumer as this caller knows it.
    struct Consumer {
        var number: Int
        var isShared: Bool
        var lastSequence = 0
        var readSequence = 0
        /// The sequences of unread messages above the read mark.
        var unread: [Int] = []
        /// The token of each registered device.
        var tokens: [Device: String] = [:]
        /// The number of registrations of each device.
        var generations: [Device: Int] = [:]
    }

    let number: Int
    let backEnd: BackEnd
    let progress: Progress
    var random: SplitMix64
    var consumers: [Consumer]
    var record = ResponseRecord()
    private var lastEvent = 0

    init(number: Int, settings: CrashSettings, backEnd: BackEnd, progress: Progress) {
        self.number = number
        self.backEnd = backEnd
        self.progress = progress
        random = SplitMix64(seed: settings.seed &+ UInt64(number + 1) &* 0x1_0000_0001)
        let own = stride(from: number, to: settings.consumers, by: settings.connections)
            .map { Consumer(number: $0, isShared: false) }
        let shared = (settings.consumers..<settings.consumers + settings.sharedConsumers)
            .map { Consumer(number: $0, isShared: true) }
        consumers = own + shared
    }

    /// Registers the devices; those of shared consumers are recorded by each caller.
    mutating func prepare() async throws {
        for index in consumers.indices {
            for device in Device.all(of: consumers[index].number) { try await register(device, of: index) }
        }
    }

    /// Sends requests until it is stopped; a request that has begun gets its definite response.
    mutating func run() async throws {
        while !progress.isStopping {
            let index = Int.random(in: consumers.indices, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60: try await post(1)
            case 60..<75: try await post(Int.random(in: 2...20, using: &random))
            case 75..<82: try await replay()
            case 82..<92: if !consumers[index].isShared { try await read(index) }
            case 92..<96: if !consumers[index].isShared { try await logOut(index) }
            default: if !consumers[index].isShared { try await logIn(index) }
            }
        }
    }

    /// Returns an event id that was never used.
    mutating func nextEvent() -> String {
        lastEvent += 1
        return "e-\(number)-\(lastEvent)"
    }

    /// Records a response that contradicts earlier ones.
    mutating func contradict(_ text: String) { record.contradictions.append(text) }

    // MARK: Devices

    private mutating func logOut(_ index: Int) async throws {
        let consumer = consumers[index]
        guard let (device, token) = consumer.tokens.sorted(by: { $0.key.id < $1.key.id }).randomElement(using: &random)
        else { return }
        // By the route of the device, or by ending the device's session from the back-end.
        let path =
            Bool.random(using: &random)
            ? "/apps/\(device.app)/devices/\(device.id)?consumer=u-\(consumer.number)"
            : "/consumers/u-\(consumer.number)/sessions?deviceId=\(device.id)"
        let response = try await backEnd.call("DELETE", path)
        record.retries += response.retries
        guard response.status == 204 else { throw HarnessError("a logout had the response status \(response.status)") }
        record.goneTokens[token] = Date().timeIntervalSince1970
        consumers[index].tokens[device] = nil
    }

    /// Registers a device that is logged out, or gives another one a new token.
    private mutating func logIn(_ index: Int) async throws {
        let devices = Device.all(of: consumers[index].number)
        guard
            let device = devices.first(where: { consumers[index].tokens[$0] == nil })
                ?? devices.randomElement(using: &random)
        else { return }
        try await register(device, of: index)
    }

    private mutating func register(_ device: Device, of index: Int) async throws {
        let consumer = consumers[index]
        let generation = (consumer.generations[device] ?? -1) + 1
        let token = device.token(generation: generation)
        record.devices[token] = device
        let response = try await backEnd.call(
            "PUT",
            "/apps/\(device.app)/devices/\(device.id)?consumer=u-\(consumer.number)",
            #"{"token":"\#(token)","pushType":"\#(device.pushType)"}"#
        )
        record.retries += response.retries
        guard response.status == 200 || response.status == 201 else {
            throw HarnessError("a registration had the response status \(response.status)")
        }
        if let old = consumer.tokens[device] { record.goneTokens[old] = Date().timeIntervalSince1970 }
        consumers[index].tokens[device] = token
        consumers[index].generations[device] = generation
    }
}
